//===- Code/NamedImages.h - Images with symbols ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODE_NAMEDIMAGES_H
#define KEXPR_UNITTESTS_CODE_NAMEDIMAGES_H

#include "Code/HandMade.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

#include <elf.h>

namespace kexpr::test {

/// An ELF file with two sections: code, and data that is loaded with it.
inline std::vector<char> objectFile() {
  struct {
    Elf64_Ehdr header{};
    Elf64_Shdr sections[3]{};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_shoff = sizeof file.header;
  file.header.e_shnum = 3;
  file.sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  file.sections[1].sh_size = ReturningBytes;
  file.sections[2].sh_flags = SHF_ALLOC;
  const char *bytes = reinterpret_cast<const char *>(&file);
  return {bytes, bytes + sizeof file};
}

/// A function that returns `value`, behind 12 other bytes, of two lines of a
/// listing.
inline code::Image namedImage(const std::string &name, std::int32_t value = 7) {
  code::Image image = returning(value, ReturningBytes + 12);
  code::Symbols symbols;
  symbols.name = name;
  symbols.size = ReturningBytes;
  symbols.path = "/where/" + name + ".kexpr";
  symbols.object = objectFile();
  symbols.lines = {{0, {1, 3}}, {5, {2, 5}}};
  image.symbols = std::make_shared<const code::Symbols>(std::move(symbols));
  return image;
}

inline code::Listeners onlyListener(std::shared_ptr<code::Listener> listener) {
  code::Listeners listeners;
  listeners.add(std::move(listener));
  return listeners;
}

inline std::shared_ptr<const code::LoadedCode>
load(const code::Image &image, const code::Listeners &listeners) {
  auto loaded = code::CodeMemory::ofProcess()->load(image, &listeners);
  EXPECT_TRUE(loaded);
  return loaded ? *loaded : nullptr;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODE_NAMEDIMAGES_H
