//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Calls.h"

#include "Common/Array.h"
#include "Common/Files.h"
#include "Inspect/Render.h"
#include "Support/SystemText.h"
#include "Support/Text.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>

using namespace kexpr;
using namespace kexpr::tools;

Expected<std::vector<TypedShape>> tools::parseShapes(std::string_view text) {
  std::vector<TypedShape> shapes;
  while (!text.empty()) {
    // Commas in brackets are between extents.
    const std::size_t comma = text.find(','), bracket = text.find('[');
    const std::size_t end = std::min(
        bracket < comma ? text.find(',', text.find(']')) : comma, text.size());
    auto shape = parseTypedShape(text.substr(0, end));
    if (!shape)
      return shape.error();
    shapes.push_back(*shape);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shapes;
}

Operands tools::operandsOf(const std::vector<TypedShape> &shapes) {
  Operands operands;
  for (const auto &[type, shape] : shapes) {
    if (shape.rank() == 0)
      operands.zeroDims.push_back(
          static_cast<std::uint32_t>(operands.accesses.size()));
    operands.accesses.push_back({.type = type});
  }
  return operands;
}

namespace {
/// A directory that is empty, and is removed.
class Directory {
public:
  Directory() {
    std::error_code none;
    path = (std::filesystem::temp_directory_path(none) /
            ("kexpr-" + std::string(6, 'X')))
               .string();
    if (!mkdtemp(path.data()))
      fault = Error(ErrorCode::Io,
                    concat("cannot make '", path, "': ", errorText(errno)));
  }
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;
  ~Directory() {
    std::error_code none;
    if (fault)
      std::filesystem::remove_all(path, none);
  }

  std::string path;
  Status fault;
};
} // namespace

static Expected<std::vector<Array>>
onesOf(const std::vector<TypedShape> &shapes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::vector<Array> arrays;
  std::size_t bytes = 0;
  for (const auto &[type, shape] : shapes) {
    auto array = Array::make(type, shape);
    if (!array)
      return array.error();
    bytes += array->bytes();
    if (bytes > most)
      return Error(ErrorCode::InvalidArgument,
                   "operands of more than 1 GiB are not called with");
    for (std::int64_t i = 0; i < array->count(); ++i)
      array->set(i, 1);
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

static std::vector<TensorView> viewsOf(const std::vector<Array> &arrays) {
  std::vector<TensorView> views;
  for (const Array &array : arrays)
    views.push_back(array.view());
  return views;
}

/// Runs a kernel until its loops are what they stay.
static Status settle(const Engine &engine, const Kernel &kernel,
                     const std::vector<Array> &inputs) {
  const auto views = viewsOf(inputs);
  std::vector<TypedShape> shapes;
  for (std::size_t i = 0; i < kernel.outputCount(); ++i) {
    auto shape = kernel.outputShape(views, i);
    if (!shape)
      return shape.error();
    shapes.push_back({kernel.outputType(i), *shape});
  }
  auto outputs = onesOf(shapes);
  if (!outputs)
    return outputs.error();
  // The second call takes the loop that the first one had made.
  for (int call = 0; call < 2; ++call) {
    if (auto status = kernel.run(views, viewsOf(*outputs)); !status)
      return status;
    engine.settle();
  }
  return engine.dumpStatus();
}

Expected<std::string> tools::showCall(const Expression &expression,
                                      const std::vector<TypedShape> &shapes,
                                      const EngineOptions &given,
                                      const CompileOptions &options,
                                      Stage stage) {
  const Directory directory;
  if (!directory.fault)
    return directory.fault.error();
  EngineOptions own = given;
  own.dumpDirectory = directory.path;
  const Engine engine(own);
  const auto kernel = engine.compile(expression, options);
  const auto inputs = onesOf(shapes);
  if (!kernel || !inputs)
    return kernel ? inputs.error() : kernel.error();
  if (auto status = settle(engine, *kernel, *inputs); !status)
    return status.error();
  std::set<std::filesystem::path> folders;
  std::error_code none;
  std::set<std::string> optimized;
  for (const auto &entry :
       std::filesystem::directory_iterator(directory.path, none)) {
    folders.insert(entry.path());
    const std::filesystem::path name = entry.path().stem();
    if (name.extension() == ".optimized")
      optimized.insert(name.stem().string());
  }
  // Of a loop that takes over from another tier, that is not shown.
  std::erase_if(folders, [&](const std::filesystem::path &folder) {
    const std::filesystem::path name = folder.stem();
    return name.extension() == ".baseline" &&
           optimized.contains(name.stem().string());
  });
  std::string text;
  for (const auto &folder : folders) {
    auto contents = readFile((folder / inspect::fileNameOf(stage)).string());
    if (!contents)
      return contents;
    text += concat(text.empty() ? "" : "\n", "=== ", folder.filename().string(),
                   " ===\n", *contents);
  }
  return text;
}
