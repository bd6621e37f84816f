//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operator machine code is of, and that the code does not depend on
// whether anybody asks.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeListing.h"
#include "CodeGen/CompiledLoop.h"
#include "TestUtil/Skips.h"
#include "Tools/Command.h"

#include <algorithm>
#include <cstring>

#include <elf.h>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

namespace {

semantics::Plan placedPlan(const std::string &text) {
  semantics::Plan plan = planFor(text);
  plan.listing = std::make_shared<const syntax::Listing>(
      syntax::list(*Expression::parse(text)));
  return plan;
}

Target wideTarget(const char *cpu, unsigned vectorBits = 0) {
  return *makeTarget(
      {.triple = {}, .cpu = cpu, .features = {}, .vectorBits = vectorBits});
}

struct Placed {
  std::string code;
  std::string_view word;
};

/// The instructions of the main loop.
std::vector<Placed> loopOf(const semantics::Plan &plan, const Target &target,
                           OptLevel level = OptLevel::Optimized) {
  std::vector<Placed> loop;
  auto listed = listCode(plan, target, level);
  EXPECT_TRUE(listed);
  for (const CodeLine &line : listed->assembly)
    if (line.isInLoop && !line.isLabel)
      loop.push_back({line.text, plan.listing->wordAt(line.location)});
  return loop;
}

/// What the main loop of mul(@0,sigmoid(@0)) must say of an instruction of x86;
/// empty for one between registers or to the stack, which may be of any.
std::string wordExpected(const std::string &code) {
  auto isA = [&code](const char *name) { return code.starts_with(name); };
  if (isA("vmovap") || code.find("(%rsp)") != std::string::npos)
    return "";
  if (isA("vmovup") && code[code.find('\t') + 1] != '%')
    return "@0";
  if (isA("vmovup"))
    return "out0";
  if (isA("addq") || isA("cmpq") || isA("jne\tvector.loop") || isA("movq") ||
      isA("cmov"))
    return "the loop";
  return "sigmoid";
}

} // namespace

TEST(SourceLocations, NameTheOperatorOfEveryInstructionOfSilu) {
  const semantics::Plan plan = placedPlan("mul(@0,sigmoid(@0))");
  for (const Target &target :
       {wideTarget("znver3"), wideTarget("skylake-avx512", 512)}) {
    const std::vector<Placed> loop = loopOf(plan, target);
    ASSERT_GT(loop.size(), 30u);
    unsigned products = 0;
    for (const Placed &each : loop) {
      const std::string expected = wordExpected(each.code);
      const bool isProduct =
          each.word == "mul" && each.code.starts_with("vmulps");
      products += isProduct;
      EXPECT_TRUE(isProduct || expected.empty() || each.word == expected)
          << target.cpu << ": " << each.code << " is of " << each.word;
    }
    EXPECT_EQ(products, 1u);
  }
}

TEST(SourceLocations, LineTablesSayTheSame) {
  const semantics::Plan plan = placedPlan("mul(@0,sigmoid(@0))");
  for (const Target &target :
       {wideTarget("znver3"), wideTarget("skylake-avx512", 512)}) {
    const auto object = compile(plan, target, OptLevel::Optimized);
    ASSERT_TRUE(object);
    EXPECT_GT(object->size, 200u);
    ASSERT_FALSE(object->locations.empty());
    EXPECT_EQ(object->locations[0].offset, 0u);
    // The loop's run of words, each once in a row.
    std::vector<std::string_view> words, wanted;
    for (const CodeLocation &each : object->locations) {
      EXPECT_LT(each.offset, object->size);
      ASSERT_TRUE(each.location);
      const std::string_view word = plan.listing->wordAt(each.location);
      if (words.empty() || words.back() != word)
        words.push_back(word);
    }
    for (const Placed &each : loopOf(plan, target))
      if (wanted.empty() || wanted.back() != each.word)
        wanted.push_back(each.word);
    EXPECT_NE(
        std::search(words.begin(), words.end(), wanted.begin(), wanted.end()),
        words.end())
        << target.cpu;
    EXPECT_TRUE(
        std::is_sorted(object->locations.begin(), object->locations.end(),
                       [](const CodeLocation &a, const CodeLocation &b) {
                         return a.offset < b.offset;
                       }));
  }
}

static const char *const placedTexts[] = {
    "add(@0,@1)",
    "mul(@0,sigmoid(@0))",
    "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))",
    ("mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),"
     "0.79788456)),1))"),
    "[div(@0,12),add(div(@0,12),sqrt(@1))]",
    "atan2(pow(@0,@1),log(@2))",
    "erf(@0)"};

TEST(SourceLocations, EveryInstructionHasOne) {
  for (const char *cpu : {"znver3", "skylake-avx512", "sapphirerapids",
                          "neoverse-n1", "apple-m1"})
    for (const char *text : placedTexts)
      for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline}) {
        const semantics::Plan plan = placedPlan(text);
        auto listed = listCode(plan, wideTarget(cpu), level);
        ASSERT_TRUE(listed);
        for (const CodeLine &line : listed->assembly)
          EXPECT_TRUE(line.isLabel || line.location) << cpu << ' ' << line.text;
        for (const CodeLine &line : listed->ir)
          EXPECT_TRUE(line.isLabel || line.location) << cpu << ' ' << line.text;
        EXPECT_TRUE(std::any_of(listed->assembly.begin(),
                                listed->assembly.end(),
                                [](const CodeLine &line) {
                                  return line.isInLoop && line.isLabel &&
                                         line.text.starts_with("vector.loop");
                                }))
            << cpu << ' ' << text;
      }
}

/// What a linker takes from an object: the sections that code runs in.
static std::vector<std::string> loadedSectionsOf(const ObjectCode &object) {
  const auto read = [&object]<class T>(T &to, std::size_t at) {
    std::memcpy(&to, object.bytes.data() + at, sizeof to);
  };
  Elf64_Ehdr header;
  read(header, 0);
  std::vector<std::string> sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    read(section, header.e_shoff + i * sizeof section);
    if (section.sh_flags & SHF_ALLOC)
      sections.emplace_back(object.bytes.data() + section.sh_offset,
                            section.sh_size);
  }
  return sections;
}

TEST(SourceLocations, ChangeNoCode) {
  for (const char *cpu : {"znver3", "znver5", "skylake-avx512", "atom",
                          "neoverse-n1", "cortex-a55", "apple-m1"})
    for (const char *text : placedTexts)
      for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline}) {
        const Target target = wideTarget(cpu);
        const auto bare = compile(planFor(text), target, level);
        const auto listed = compile(placedPlan(text), target, level);
        ASSERT_TRUE(bare && listed);
        EXPECT_TRUE(bare->locations.empty());
        EXPECT_EQ(loadedSectionsOf(*bare), loadedSectionsOf(*listed))
            << cpu << ' ' << text;
      }
}

TEST(SourceLocations, AreNotInImages) {
  const Target &target = hostTarget();
  if (!target.hasFma)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  auto session = jit::Session::create();
  ASSERT_TRUE(session);
  for (const char *text : placedTexts)
    for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline}) {
      const auto bare = compile(planFor(text), target, level);
      const auto listed = compile(placedPlan(text), target, level);
      ASSERT_TRUE(bare && listed);
      const auto one = (*session)->link(bare->bytes, bare->symbol);
      const auto other = (*session)->link(listed->bytes, listed->symbol);
      ASSERT_TRUE(one && other);
      EXPECT_EQ(one->bytes, other->bytes) << text;
      EXPECT_EQ(one->entry, other->entry) << text;
    }
}

TEST(SourceLocations, AreDwarfInObjects) {
  semantics::Plan plan = placedPlan("mul(@0,sigmoid(@0))");
  auto listing = std::make_shared<syntax::Listing>(*plan.listing);
  listing->path = "/tmp/some folder/silu.kexpr";
  plan.listing = listing;
  for (const char *cpu : {"znver3", "neoverse-n1"}) {
    const auto object = compile(plan, wideTarget(cpu), OptLevel::Optimized);
    ASSERT_TRUE(object);
    const TemporaryDirectory folder;
    const std::string path = folder.path("object");
    writeFile(path, {object->bytes.begin(), object->bytes.end()});
    const auto said = [&path](const char *what) {
      const auto result = run({"readelf", "-W", what, path});
      EXPECT_EQ(result.err, "");
      return result.out;
    };
    const std::string info = said("--debug-dump=info");
    for (const char *part : {"silu.kexpr", "/tmp/some folder",
                             "mul(@0,sigmoid(@0))", "DW_TAG_subprogram"})
      EXPECT_NE(info.find(part), info.npos) << part << '\n' << info;
    EXPECT_NE(said("--debug-dump=decodedline").find("silu.kexpr"),
              std::string::npos);
    EXPECT_NE(said("--debug-dump=frames").find("FDE"), std::string::npos);
  }
}
