//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/DebugObject.h"

#include "Code/Dwarf.h"

#include <bit>
#include <cstring>

#include <elf.h>

using namespace kexpr;
using namespace kexpr::code;

#ifdef __aarch64__
static constexpr Elf64_Half Machine = EM_AARCH64;
#else
static constexpr Elf64_Half Machine = EM_X86_64;
#endif

static Elf64_Shdr sectionOf(Elf64_Word type) {
  Elf64_Shdr section{};
  section.sh_type = type;
  return section;
}

namespace {

/// Collects sections, and lays them out behind the header.
class File {
public:
  /// Gives the section's number.
  std::size_t add(const char *name, Elf64_Shdr section, std::string content);
  std::vector<char> finish();

private:
  struct Section {
    Elf64_Shdr header;
    std::string content;
  };
  std::string names{'\0'};
  std::vector<Section> sections{{}};
};

} // namespace

std::size_t File::add(const char *name, Elf64_Shdr section,
                      std::string content) {
  section.sh_name = static_cast<Elf64_Word>(names.size());
  names.append(name) += '\0';
  if (section.sh_type != SHT_NOBITS)
    section.sh_size = content.size();
  if (section.sh_addralign == 0)
    section.sh_addralign = 1;
  sections.push_back({section, std::move(content)});
  return sections.size() - 1;
}

std::vector<char> File::finish() {
  const std::size_t last = add(".shstrtab", sectionOf(SHT_STRTAB), "");
  sections[last].content = names;
  sections[last].header.sh_size = names.size();
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = Machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(last);
  header.e_shoff = sizeof header;
  std::size_t offset = sizeof header + sections.size() * sizeof(Elf64_Shdr);
  std::vector<char> bytes(offset);
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    auto &[section, content] = sections[i];
    bytes.resize((bytes.size() + 7) / 8 * 8);
    section.sh_offset = i ? bytes.size() : 0;
    bytes.insert(bytes.end(), content.begin(), content.end());
    std::memcpy(bytes.data() + sizeof header + i * sizeof section, &section,
                sizeof section);
  }
  return bytes;
}

/// The table of symbols, of which the function is the only one.
static std::string functionSymbol(std::size_t section, std::size_t size) {
  const Elf64_Sym symbols[] = {{},
                               {.st_name = 1,
                                .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                .st_other = STV_DEFAULT,
                                .st_shndx = static_cast<Elf64_Section>(section),
                                .st_value = 0,
                                .st_size = size}};
  return {reinterpret_cast<const char *>(symbols), sizeof symbols};
}

std::vector<char> code::debugObject(const Symbols &symbols,
                                    std::uint64_t address, std::size_t entry) {
  File file;
  Elf64_Shdr code = sectionOf(SHT_NOBITS);
  code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  code.sh_addr = address;
  code.sh_size = symbols.size;
  const std::size_t text = file.add(".text", code, "");
  const Elf64_Shdr plain = sectionOf(SHT_PROGBITS);
  file.add(".debug_abbrev", plain, dwarf::abbreviations());
  file.add(".debug_info", plain, dwarf::information(symbols, address));
  file.add(".debug_line", plain, dwarf::lines(symbols, address, entry));
  file.add(".debug_frame", plain, dwarf::frames(symbols, address));
  const std::string name(symbols.name.c_str());
  const std::size_t strings =
      file.add(".strtab", sectionOf(SHT_STRTAB), '\0' + name + '\0');
  Elf64_Shdr table = sectionOf(SHT_SYMTAB);
  table.sh_link = static_cast<Elf64_Word>(strings);
  table.sh_info = 1; // the first that is global
  table.sh_addralign = alignof(Elf64_Sym);
  table.sh_entsize = sizeof(Elf64_Sym);
  file.add(".symtab", table, functionSymbol(text, symbols.size));
  return file.finish();
}
