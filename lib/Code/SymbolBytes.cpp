//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/SymbolBytes.h"

#include <cstring>

using namespace kexpr;
using namespace kexpr::code;

namespace {
/// What comes first; then come the parts, in this order.
struct SymbolHeader {
  std::uint64_t function = 0;
  std::uint64_t name = 0, listing = 0, path = 0, lines = 0, frames = 0;
};
static_assert(std::has_unique_object_representations_v<SymbolHeader>);
static_assert(std::has_unique_object_representations_v<LineEntry>);
} // namespace

std::string code::bytesOf(const Symbols &symbols) {
  const SymbolHeader header{.function = symbols.size,
                            .name = symbols.name.size(),
                            .listing = symbols.listing.size(),
                            .path = symbols.path.size(),
                            .lines = symbols.lines.size() * sizeof(LineEntry),
                            .frames = symbols.frames.size()};
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes.append(symbols.name).append(symbols.listing).append(symbols.path);
  bytes.append(reinterpret_cast<const char *>(symbols.lines.data()),
               header.lines);
  bytes.append(symbols.frames.data(), symbols.frames.size());
  return bytes;
}

std::optional<Symbols> code::symbolsOf(std::string_view bytes) {
  SymbolHeader header;
  if (bytes.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  bool isWhole = header.lines % sizeof(LineEntry) == 0;
  const auto take = [&](std::uint64_t size) {
    isWhole = isWhole && size <= bytes.size();
    const std::string_view part = bytes.substr(0, isWhole ? size : 0);
    bytes.remove_prefix(part.size());
    return part;
  };
  Symbols symbols;
  symbols.size = header.function;
  symbols.name = take(header.name);
  symbols.listing = take(header.listing);
  symbols.path = take(header.path);
  const std::string_view lines = take(header.lines);
  const std::string_view frames = take(header.frames);
  if (!isWhole || !bytes.empty())
    return std::nullopt;
  symbols.lines.resize(lines.size() / sizeof(LineEntry));
  if (!lines.empty())
    std::memcpy(symbols.lines.data(), lines.data(), lines.size());
  symbols.frames.assign(frames.begin(), frames.end());
  return symbols;
}
