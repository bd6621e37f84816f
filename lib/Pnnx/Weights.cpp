//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Weights.h"

#include "Pnnx/ZipReader.h"
#include "Support/Text.h"

#include <new>

using namespace kexpr;
using namespace kexpr::pnnx;

/// The alignment of attributes: a cache line, and a vector of any width.
static constexpr std::uint64_t Alignment = 64;

namespace {
/// An attribute: its entry in the file, and its offset in memory.
struct StoredAttribute {
  TensorView *view;
  std::string name;
  ZipReader::Entry entry;
  std::uint64_t offset;
};
} // namespace

void FreeWeights::operator()(unsigned char *memory) const {
  ::operator delete[](memory, std::align_val_t(Alignment));
}

static Expected<std::vector<StoredAttribute>> findItems(Network &network,
                                                        ZipReader &file) {
  std::vector<StoredAttribute> items;
  std::uint64_t offset = 0;
  for (PnnxOperator &op : network.operators)
    for (PnnxAttribute &attribute : op.attributes) {
      TensorView &view = attribute.tensor;
      if (view.empty())
        continue;
      std::string name = op.name + "." + attribute.key;
      const std::uint64_t bytes =
          view.shape().elementCount() * sizeOf(view.type());
      auto entry = file.find(name, bytes);
      if (!entry)
        return entry.error();
      items.push_back({&view, std::move(name), *entry, offset});
      offset += (bytes + Alignment - 1) / Alignment * Alignment;
    }
  return items;
}

static Expected<Weights> load(Network &network, ByteSource source,
                              std::string_view name) {
  auto file = ZipReader::open(std::move(source), name);
  if (!file)
    return file.error();
  auto items = findItems(network, *file);
  if (!items)
    return items.error();
  const std::uint64_t bytes =
      items->empty() ? 0 : items->back().offset + items->back().entry.bytes;
  Weights memory(static_cast<unsigned char *>(
      ::operator new[](bytes, std::align_val_t(Alignment), std::nothrow)));
  if (!memory)
    return Error(ErrorCode::OutOfMemory,
                 concat("no memory for ", bytes, " bytes of attributes"));
  for (const StoredAttribute &item : *items) {
    unsigned char *to = memory.get() + item.offset;
    if (auto status = file->read(item.entry, item.name, to); !status)
      return status.error();
    *item.view = TensorView(static_cast<const void *>(to), item.view->type(),
                            item.view->shape());
  }
  return memory;
}

Expected<Weights> pnnx::loadWeights(Network &network, const std::string &path) {
  auto source = ByteSource::open(path);
  return source ? load(network, std::move(*source), path)
                : Expected<Weights>(source.error());
}

Expected<Weights> pnnx::loadWeights(Network &network,
                                    Span<const unsigned char> bytes,
                                    std::string_view name) {
  return load(network, ByteSource(bytes), name);
}
