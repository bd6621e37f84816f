//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Networks.h"

#include "Pnnx/RandomGraph.h"
#include "TestUtil/Models.h"
#include "TestUtil/Vandal.h"

#include <charconv>
#include <sstream>

using namespace kexpr;
using namespace kexpr::fuzz;

static constexpr std::size_t MostBytes = 4096;

/// "[2,3]" as "(2,3)".
static std::string declared(const test::RandomGraph::Input &input) {
  std::string shape = input.shape.str();
  shape.front() = '(';
  shape.back() = ')';
  return shape + std::string(nameOf(input.type));
}

static std::string randomNetwork(Choices &choices) {
  const bool isDeclared = choices.below(2) == 0;
  test::RandomGraph graph([&choices] { return choices.word(); });
  // Inputs come first, `x0` the first of them.
  for (std::size_t i = 0; isDeclared && i < graph.inputs.size(); ++i)
    graph.lines[i] +=
        " #x" + std::to_string(i) + "=" + declared(graph.inputs[i]);
  return test::paramOf(graph.lines);
}

std::string fuzz::makeNetwork(Choices &choices,
                              const std::vector<std::string> &seeds) {
  const bool isSeed = !seeds.empty() && choices.below(2) == 0;
  const std::uint32_t damages = choices.below(4);
  std::string text = isSeed ? choices.oneOf(seeds) : randomNetwork(choices);
  test::Vandal vandal([&choices] { return choices.word(); });
  for (std::uint32_t i = 0; i < damages && !text.empty(); ++i)
    vandal.damageText(text);
  return text;
}

/// Bytes of "(2,3)f32"; a shape of its own kind has none.
static std::size_t bytesOf(std::string_view shape) {
  const std::size_t close = shape.find(')');
  if (!shape.starts_with('(') || close == shape.npos)
    return 0;
  const auto type = parseDType(shape.substr(close + 1));
  std::size_t bytes = type ? sizeOf(*type) : 0;
  const char *at = shape.data() + 1, *end = shape.data() + close;
  while (at < end && bytes <= MostBytes) {
    std::size_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent > MostBytes)
      return 0;
    bytes *= extent;
    at = next + 1;
  }
  return bytes <= MostBytes ? bytes : 0;
}

/// Small positive numbers in f32 and f64: 0x3e to 0x40 is where they are.
static std::string elements(std::size_t count, std::size_t from) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<char>(i % 4 == 3 ? 0x3e + (i + from) % 3 : i * 37);
  return bytes;
}

std::string fuzz::weightsFor(const std::string &param) {
  std::vector<test::ZipEntry> entries;
  std::istringstream lines(param);
  for (std::string line; entries.size() < 64 && std::getline(lines, line);) {
    std::istringstream words(line);
    std::string type, name;
    words >> type >> name;
    for (std::string word; words >> word;)
      if (const std::size_t equals = word.find('=');
          word.front() == '@' && equals != word.npos)
        entries.push_back(
            {name + "." + word.substr(1, equals - 1),
             elements(bytesOf(std::string_view(word).substr(equals + 1)),
                      entries.size())});
  }
  return entries.empty() ? "" : test::ZipWriter(true).write(entries);
}
