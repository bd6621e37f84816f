//===- Code/JitDumpFile.h - A jitdump read back ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODE_JITDUMPFILE_H
#define KEXPR_UNITTESTS_CODE_JITDUMPFILE_H

#include "TestUtil/Files.h"

#include <cstring>

#include <elf.h>

namespace kexpr::test {

/// A file as `tools/perf/Documentation/jitdump-specification.txt` of Linux has
/// it, number by number.
class JitDumpFile {
public:
  struct Line {
    std::uint64_t address;
    std::uint32_t line, column;
    std::string path;
    friend bool operator==(const Line &, const Line &) = default;
  };
  /// A function that was loaded, with the lines that came before it.
  struct Function {
    std::uint64_t address = 0, virtualAddress = 0, number = 0, time = 0;
    std::string name, code;
    std::vector<Line> lines;
  };

  explicit JitDumpFile(const std::string &path) : bytes(readFile(path)) {
    readHeader();
    std::vector<Line> lines;
    while (place < bytes.size() && !isClosed)
      readRecord(lines);
    EXPECT_EQ(place, bytes.size());
  }

  std::uint32_t process = 0;
  bool isClosed = false;
  std::vector<Function> functions;

private:
  template <class T> T take() {
    T value = {};
    EXPECT_LE(place + sizeof value, bytes.size());
    if (place + sizeof value <= bytes.size())
      std::memcpy(&value, bytes.data() + place, sizeof value);
    place += sizeof value;
    return value;
  }
  std::uint32_t take32() { return take<std::uint32_t>(); }
  std::uint64_t take64() { return take<std::uint64_t>(); }
  std::string takeText() {
    const std::string text = bytes.c_str() + std::min(place, bytes.size());
    place += text.size() + 1;
    return text;
  }
  void readHeader() {
    EXPECT_EQ(take32(), 0x4a695444u);
    EXPECT_EQ(take32(), 1u);
    EXPECT_EQ(take32(), 40u);
    EXPECT_NE(take32(), std::uint32_t{EM_NONE});
    EXPECT_EQ(take32(), 0u);
    process = take32();
    EXPECT_GT(take64(), 0u);
    EXPECT_EQ(take64(), 0u);
  }
  void readRecord(std::vector<Line> &lines) {
    const std::size_t start = place;
    const std::uint32_t id = take32(), size = take32();
    const std::uint64_t time = take64();
    switch (id) {
    case 0:
      readFunction(start + size, time, lines);
      lines.clear();
      break;
    case 2:
      readLines(lines);
      break;
    default:
      EXPECT_EQ(id, 3u);
      isClosed = true;
    }
    EXPECT_EQ(place, start + size);
  }
  void readFunction(std::size_t end, std::uint64_t time,
                    const std::vector<Line> &lines) {
    Function function;
    function.time = time;
    EXPECT_EQ(take32(), process);
    EXPECT_NE(take32(), 0u);
    function.virtualAddress = take64();
    function.address = take64();
    const std::uint64_t size = take64();
    function.number = take64();
    function.name = takeText();
    EXPECT_EQ(place + size, end);
    function.code = bytes.substr(place, size);
    function.lines = lines;
    place = end;
    functions.push_back(function);
  }
  void readLines(std::vector<Line> &lines) {
    take64();
    for (std::uint64_t count = take64(); count > 0; --count) {
      Line line;
      line.address = take64();
      line.line = take32();
      line.column = take32();
      line.path = takeText();
      lines.push_back(line);
    }
  }

  const std::string bytes;
  std::size_t place = 0;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODE_JITDUMPFILE_H
