//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Printer.h"
#include "Syntax/Reading.h"

#include <bit>
#include <cmath>
#include <random>

using namespace kexpr;
using namespace kexpr::syntax;

namespace {
/// Random trees in the call grammar, with blanks between their tokens.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}
  std::string expression(int depth) {
    if (depth == 0 || pick(4) == 0)
      return leaf();
    const std::string names[] = {"add", "sin", "torch.float", "x_1"};
    const bool list = pick(8) == 0;
    std::string text = list ? "[" : names[pick(4)] + blank() + "(";
    const unsigned count = 1 + pick(3);
    for (unsigned i = 0; i < count; ++i)
      text += (i ? "," : "") + blank() + expression(depth - 1) + blank();
    return text + (list ? "]" : ")");
  }
  /// `text` with a few bytes removed, replaced, inserted or doubled.
  std::string mutated(std::string text) {
    constexpr std::string_view bytes("@(),[]0179.eE+-jna _\0\xff", 23);
    for (unsigned k = pick(4); k > 0 && !text.empty(); --k) {
      const std::size_t at = pick(text.size());
      const unsigned kind = pick(4);
      if (kind == 0)
        text.erase(at, 1);
      else if (kind == 1)
        text[at] = bytes[pick(bytes.size())];
      else if (kind == 2)
        text.insert(at, 1, bytes[pick(bytes.size())]);
      else
        text += text.substr(at, 8);
    }
    return text;
  }
  unsigned pick(std::size_t count) { return random() % count; }

private:
  std::string blank() { return std::string(pick(2), ' '); }
  std::string leaf() {
    const std::string fixed[] = {"inf",  "nan.0", "True", "None",
                                 "-inf", "1e-7",  "-0.0", "1.5e+00-2.5e-01j"};
    switch (pick(4)) {
    case 0:
      return '@' + std::to_string(pick(100));
    case 1:
      return std::to_string(int(random()));
    case 2:
      return std::to_string(double(int(random())) / 1000);
    default:
      return fixed[pick(std::size(fixed))];
    }
  }

  std::mt19937 random;
};
} // namespace

/// Equal, sign of zero included, or both NaN.
static bool sameNumber(double a, double b) {
  return std::isnan(a) ? std::isnan(b)
                       : a == b && std::signbit(a) == std::signbit(b);
}

static bool sameNode(const Node &a, const Node &b) {
  return a.kind == b.kind && a.index == b.index && a.integer == b.integer &&
         sameNumber(a.number, b.number) &&
         sameNumber(a.imaginary, b.imaginary) && a.name == b.name &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(),
                    b.children.end());
}

/// Whether two nodes are the same tree once the names of a listing are gone.
static bool areSameTrees(const std::vector<Node> &a, std::uint32_t left,
                         const std::vector<Node> &b, std::uint32_t right) {
  const Node &one = a[left], &other = b[right];
  Node leaf = one, same = other;
  leaf.children = same.children = {};
  if (!sameNode(leaf, same) || one.children.size() != other.children.size())
    return false;
  for (std::size_t i = 0; i < one.children.size(); ++i)
    if (!areSameTrees(a, one.children[i], b, other.children[i]))
      return false;
  return true;
}

/// Reading what was printed gives the same tree, and either runs on a stack.
static void expectRoundTrip(const detail::ExpressionData &data) {
  EXPECT_TRUE(runsOnAStack(data)) << data.text;
  const ExpressionPtr again = read(data.canonical);
  ASSERT_TRUE(again) << data.text;
  EXPECT_EQ(again->canonical, data.canonical);
  EXPECT_EQ(again->usedOperands, data.usedOperands);
  EXPECT_TRUE(areSameTrees(
      again->nodes, static_cast<std::uint32_t>(again->nodes.size() - 1),
      data.nodes, static_cast<std::uint32_t>(data.nodes.size() - 1)))
      << data.text;
}

/// The text is read, and then prints back, or refused with a place inside it.
/// True if it was read.
static bool expectSound(const std::string &text) {
  auto data = parse(text, {}, arityOf);
  if (data) {
    expectRoundTrip(**data);
    return true;
  }
  const Error &error = data.error();
  EXPECT_TRUE(error.hasRange()) << text;
  EXPECT_LE(error.range().begin, error.range().end) << text;
  EXPECT_LE(error.range().end, text.size()) << text;
  EXPECT_FALSE(error.message().empty());
  EXPECT_FALSE(error.render().empty());
  return false;
}

TEST(RoundTrip, PrintingAndParsingAreInverse) {
  Generator generator(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = generator.expression(5);
    EXPECT_TRUE(expectSound(text)) << text;
  }
}

TEST(RoundTrip, EveryDoubleIsPrintedExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    Node node{NodeKind::Float};
    node.number = std::bit_cast<double>(random());
    const std::string text = printLeaf(node);
    const ExpressionPtr data = read(text);
    ASSERT_EQ(data->nodes.size(), 1u) << text;
    EXPECT_TRUE(sameNode(data->nodes[0], node)) << text;
  }
}

TEST(RoundTrip, MutatedTreesAreReadOrRefusedWithAPlace) {
  Generator generator(2);
  int valid = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i)
    valid += expectSound(generator.mutated(generator.expression(3)));
  RecordProperty("valid", valid);
  EXPECT_GT(valid, count / 10);
  EXPECT_LT(valid, count * 9 / 10);
}

TEST(RoundTrip, MutatedListedExpressionsAreReadOrRefusedWithAPlace) {
  Generator generator(3);
  const auto listed = listedExpressions();
  int valid = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i)
    valid += expectSound(generator.mutated(listed[i % listed.size()]));
  RecordProperty("valid", valid);
  EXPECT_GT(valid, count / 10);
  EXPECT_LT(valid, count * 9 / 10);
}
