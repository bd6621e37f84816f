//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Weights.h"

#include "Support/Text.h"

#include <new>

#include <zip.h>

using namespace kexpr;
using namespace kexpr::pnnx;

/// Deflate compresses by less. An entry that claims to gain more is refused
/// before memory is allocated for it.
static constexpr std::uint64_t MaxGain = 1100;

namespace {
/// An error of libzip.
class ZipError {
public:
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  ZipError(const ZipError &) = delete;
  ZipError &operator=(const ZipError &) = delete;

  zip_error_t *get() { return &error; }
  Error about(std::string_view file) {
    const int kind = zip_error_system_type(&error);
    return {kind == ZIP_ET_SYS ? ErrorCode::Io : ErrorCode::InvalidSyntax,
            std::string(file) + ": " + zip_error_strerror(&error)};
  }

private:
  zip_error_t error;
};
} // namespace

namespace {
/// A zip archive of constants, open for reading. Errors name the file, and the
/// entry where it is about one; InvalidSyntax is what is wrong in the file.
class WeightFile {
public:
  static Expected<WeightFile> open(const std::string &path);
  /// The bytes must outlive the object; `name` stands for the file.
  static Expected<WeightFile> open(Span<const unsigned char> bytes,
                                   std::string_view name);

  /// The position of an entry of exactly so many bytes. All entries that are
  /// found, once each, have at most a multiple of the size of the file.
  Expected<std::uint64_t> find(const std::string &entry, std::uint64_t bytes);
  /// Reads all bytes of an entry that was found, and checks its CRC.
  Status read(std::uint64_t position, const std::string &entry,
              unsigned char *to, std::uint64_t bytes) const;

private:
  struct Close {
    void operator()(zip *archive) const;
  };
  WeightFile(zip *archive, std::string_view name, std::uint64_t bytes)
      : archive(archive), name(name), unclaimed(bytes) {}
  static Expected<WeightFile> open(zip_source *source, std::string_view name);
  Error fault(const std::string &entry, const std::string &message) const;

  std::unique_ptr<zip, Close> archive;
  std::string name;
  /// Bytes of the file that belong to no entry found so far.
  std::uint64_t unclaimed;
};
} // namespace

void WeightFile::Close::operator()(zip *archive) const { zip_discard(archive); }

Expected<WeightFile> WeightFile::open(const std::string &path) {
  ZipError error;
  zip_source *source = zip_source_file_create(path.c_str(), 0, -1, error.get());
  return source ? open(source, path) : error.about(path);
}

Expected<WeightFile> WeightFile::open(Span<const unsigned char> bytes,
                                      std::string_view name) {
  ZipError error;
  zip_source *source =
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  return source ? open(source, name) : error.about(name);
}

Expected<WeightFile> WeightFile::open(zip_source *source,
                                      std::string_view name) {
  ZipError error;
  zip_stat_t file;
  zip_stat_init(&file);
  const bool sized =
      zip_source_stat(source, &file) == 0 && (file.valid & ZIP_STAT_SIZE);
  zip *archive =
      sized ? zip_open_from_source(source, ZIP_RDONLY, error.get()) : nullptr;
  if (archive)
    return WeightFile(archive, name, file.size);
  Error result =
      sized ? error.about(name)
            : Error(ErrorCode::Io,
                    concat(name, ": ",
                           zip_error_strerror(zip_source_error(source))));
  zip_source_free(source);
  return result;
}

Error WeightFile::fault(const std::string &entry,
                        const std::string &message) const {
  return {ErrorCode::InvalidSyntax,
          concat("entry ", quote(entry), " of ", name, message)};
}

Expected<std::uint64_t> WeightFile::find(const std::string &entry,
                                         std::uint64_t bytes) {
  const auto position =
      zip_name_locate(archive.get(), entry.c_str(), ZIP_FL_ENC_RAW);
  if (position < 0)
    return fault(entry, " is missing");
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive.get(), position, 0, &stat) != 0)
    return fault(entry, concat(": ", zip_strerror(archive.get())));
  if (stat.size != bytes)
    return fault(entry,
                 concat(" has ", stat.size, " bytes; its shape needs ", bytes));
  const std::uint64_t gain = stat.comp_method == ZIP_CM_STORE ? 1 : MaxGain;
  if (stat.comp_size > unclaimed || bytes / gain > stat.comp_size)
    return fault(entry, " is longer than what the file has for it");
  unclaimed -= stat.comp_size;
  return position;
}

Status WeightFile::read(std::uint64_t position, const std::string &entry,
                        unsigned char *to, std::uint64_t bytes) const {
  zip_file_t *file = zip_fopen_index(archive.get(), position, 0);
  if (!file)
    return fault(entry, concat(": ", zip_strerror(archive.get())));
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t *)> closed(file,
                                                                  zip_fclose);
  std::uint64_t done = 0;
  zip_int64_t count = 1;
  for (; count > 0 && done < bytes; done += count)
    count = zip_fread(file, to + done, bytes - done);
  // Reading one byte past the end makes libzip compare the CRC.
  unsigned char more = 0;
  if (count >= 0)
    count = zip_fread(file, &more, 1);
  if (count < 0)
    return fault(entry, concat(": ", zip_file_strerror(file)));
  if (count > 0 || done != bytes)
    return fault(entry, " is not as long as the file says");
  return {};
}

//===-- Loading -----------------------------------------------------------===//

/// The alignment of attributes: a cache line, and a vector of any width.
static constexpr std::uint64_t Alignment = 64;

namespace {
/// An attribute: its entry in the file, and its offset in memory.
struct StoredAttribute {
  TensorView *view;
  std::string entry;
  std::uint64_t position, bytes, offset;
};
} // namespace

void FreeWeights::operator()(unsigned char *memory) const {
  ::operator delete[](memory, std::align_val_t(Alignment));
}

static Expected<std::vector<StoredAttribute>> findItems(Network &network,
                                                        WeightFile &file) {
  std::vector<StoredAttribute> items;
  std::uint64_t offset = 0;
  for (PnnxOperator &op : network.operators)
    for (PnnxAttribute &attribute : op.attributes) {
      TensorView &view = attribute.tensor;
      if (view.empty())
        continue;
      std::string entry = op.name + "." + attribute.key;
      const std::uint64_t bytes =
          view.shape().elementCount() * sizeOf(view.type());
      auto position = file.find(entry, bytes);
      if (!position)
        return position.error();
      items.push_back({&view, std::move(entry), *position, bytes, offset});
      offset += (bytes + Alignment - 1) / Alignment * Alignment;
    }
  return items;
}

static Expected<Weights> load(Network &network, Expected<WeightFile> opened) {
  if (!opened)
    return opened.error();
  WeightFile &file = *opened;
  auto items = findItems(network, file);
  if (!items)
    return items.error();
  const std::uint64_t bytes =
      items->empty() ? 0 : items->back().offset + items->back().bytes;
  Weights memory(static_cast<unsigned char *>(
      ::operator new[](bytes, std::align_val_t(Alignment), std::nothrow)));
  if (!memory)
    return Error(ErrorCode::OutOfMemory,
                 concat("no memory for ", bytes, " bytes of attributes"));
  for (const StoredAttribute &item : *items) {
    unsigned char *to = memory.get() + item.offset;
    if (auto status = file.read(item.position, item.entry, to, item.bytes);
        !status)
      return status.error();
    *item.view = TensorView(static_cast<const void *>(to), item.view->type(),
                            item.view->shape());
  }
  return memory;
}

Expected<Weights> pnnx::loadWeights(Network &network, const std::string &path) {
  return load(network, WeightFile::open(path));
}

Expected<Weights> pnnx::loadWeights(Network &network,
                                    Span<const unsigned char> bytes,
                                    std::string_view name) {
  return load(network, WeightFile::open(bytes, name));
}
