//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Dwarf.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace kexpr;
using namespace kexpr::code;

// The numbers of DWARF that are used here, by its names without their prefix.
namespace {
enum Tag : std::uint8_t { CompileUnit = 0x11, Subprogram = 0x2e };
enum Attribute : std::uint8_t {
  Name = 0x03,
  StatementList = 0x10,
  LowPc = 0x11,
  HighPc = 0x12,
  Language = 0x13,
  CompileDirectory = 0x1b,
  Producer = 0x25,
  DeclaredFile = 0x3a,
  DeclaredLine = 0x3b,
  External = 0x3f,
};
enum Form : std::uint8_t {
  Address = 0x01,
  Data8 = 0x07,
  String = 0x08,
  Data1 = 0x0b,
  SectionOffset = 0x17,
  FlagPresent = 0x19,
};
enum LineOp : std::uint8_t {
  Extended = 0,
  Copy = 1,
  AdvancePc = 2,
  AdvanceLine = 3,
  SetColumn = 5,
};
enum ExtendedOp : std::uint8_t { EndSequence = 1, SetAddress = 2 };

constexpr std::uint8_t C99 = 0x0c;
constexpr std::uint16_t Version = 4;

/// Bytes in the order of the machine.
class Writer {
public:
  template <class T> Writer &put(T value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  Writer &put(std::initializer_list<std::uint8_t> all) {
    bytes.append(all.begin(), all.end());
    return *this;
  }
  /// A text and the zero that ends it; one inside of it would end it, too.
  Writer &putText(std::string_view text) {
    bytes.append(text.substr(0, text.find('\0'))) += '\0';
    return *this;
  }
  Writer &putUnsigned(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      put(static_cast<std::uint8_t>(value | 0x80));
    return put(static_cast<std::uint8_t>(value));
  }
  Writer &putSigned(std::int64_t value) {
    for (; value < -0x40 || value >= 0x40; value >>= 7)
      put(static_cast<std::uint8_t>(value | 0x80));
    return put(static_cast<std::uint8_t>(value & 0x7f));
  }
  /// The bytes behind how many they are.
  std::string counted() const {
    return Writer().put(static_cast<std::uint32_t>(bytes.size())).bytes + bytes;
  }

  std::string bytes;
};
} // namespace

std::string dwarf::abbreviations() {
  constexpr std::uint8_t has = 1, hasNo = 0, end = 0;
  return Writer()
      .put({1, CompileUnit, has})
      .put({Producer, String, Name, String, CompileDirectory, String})
      .put({Language, Data1, LowPc, Address, HighPc, Data8})
      .put({StatementList, SectionOffset, end, end})
      .put({2, Subprogram, hasNo})
      .put({Name, String, LowPc, Address, HighPc, Data8})
      .put({DeclaredFile, Data1, DeclaredLine, Data1})
      .put({External, FlagPresent, end, end, end})
      .bytes;
}

namespace {
/// A path as its folder and the name in it.
struct SourceFile {
  explicit SourceFile(std::string_view path)
      : folder(path.substr(0, path.rfind('/') + 1)),
        name(path.substr(folder.size())) {
    if (folder.size() > 1)
      folder.remove_suffix(1);
    // An empty name would end the list that it is in.
    if (folder.empty())
      folder = ".";
    if (name.empty())
      name = "kernel";
  }
  std::string_view folder, name;
};
} // namespace

std::string dwarf::information(const Symbols &symbols, std::uint64_t address) {
  constexpr std::uint8_t addressSize = 8, one = 1;
  const SourceFile file(symbols.path);
  const std::uint64_t size = symbols.size;
  Writer out;
  out.put(Version).put(std::uint32_t{0}).put(addressSize);
  out.put(std::uint8_t{1}).putText("kexpr");
  out.putText(file.name).putText(file.folder);
  out.put(C99).put(address).put(size).put(std::uint32_t{0});
  out.put(std::uint8_t{2}).putText(symbols.name);
  out.put(address).put(size).put(one).put(one);
  out.put(std::uint8_t{0}); // the unit has no more
  return out.counted();
}

/// What describes the program that follows; none of its special opcodes is
/// used.
static std::string lineHeader(std::string_view path) {
  const SourceFile file(path);
  Writer out;
  constexpr std::uint8_t instruction = 1, operations = 1, isStatement = 1;
  out.put(instruction).put(operations).put(isStatement);
  constexpr std::int8_t lineBase = -5;
  constexpr std::uint8_t lineRange = 14, firstSpecial = 13;
  out.put(lineBase).put(lineRange).put(firstSpecial);
  // How many operands opcodes 1 to 12 have.
  out.put({0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
  out.putText(file.folder).put(std::uint8_t{0});
  out.putText(file.name).putUnsigned(1).putUnsigned(0).putUnsigned(0);
  return out.put(std::uint8_t{0}).counted();
}

std::string dwarf::lines(const Symbols &symbols, std::uint64_t address,
                         std::size_t entry) {
  Writer program;
  program.put(Extended).putUnsigned(1 + sizeof address);
  program.put(SetAddress).put(address);
  std::uint64_t at = 0;
  std::int64_t line = 1;
  for (const LineEntry &each : symbols.lines) {
    // They may come from a file, so nothing is taken for granted.
    if (each.offset < entry || each.offset - entry < at ||
        each.offset - entry >= symbols.size)
      continue;
    program.put(AdvancePc).putUnsigned(each.offset - entry - at);
    program.put(AdvanceLine).putSigned(each.location.line - line);
    program.put(SetColumn).putUnsigned(each.location.column).put(Copy);
    at = each.offset - entry;
    line = each.location.line;
  }
  program.put(AdvancePc).putUnsigned(symbols.size - at);
  program.put(Extended).putUnsigned(1).put(EndSequence);
  Writer out;
  out.put(Version);
  out.bytes += lineHeader(symbols.path) + program.bytes;
  return out.counted();
}

std::string dwarf::frames(const Symbols &symbols, std::uint64_t address) {
  std::string bytes(symbols.frames.data(), symbols.frames.size());
  // A description that all share, whose identifier is all ones, and behind it
  // that of the function: its length, whose description it is, its address.
  struct {
    std::uint32_t size, identifier;
  } common, own;
  if (bytes.size() < sizeof common)
    return {};
  std::memcpy(&common, bytes.data(), sizeof common);
  const std::uint64_t second = sizeof common.size + std::uint64_t{common.size};
  const std::uint64_t location = second + sizeof own;
  if (common.identifier != 0xffffffff ||
      location + sizeof address > bytes.size())
    return {};
  std::memcpy(&own, bytes.data() + second, sizeof own);
  if (own.identifier != 0 ||
      second + sizeof own.size + own.size != bytes.size())
    return {};
  std::memcpy(bytes.data() + location, &address, sizeof address);
  return bytes;
}
