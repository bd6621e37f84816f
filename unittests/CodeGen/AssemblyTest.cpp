//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The machine code that named CPUs get.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"

#include <regex>

using namespace kexpr;
using namespace kexpr::codegen;
using namespace kexpr::test;

namespace {

struct Machine {
  const char *cpu, *triple;
  unsigned bits;
  /// What the main loop of `add(mul(@0,@1),@2)` is made of, each as often.
  const char *multiply, *add, *store;
  /// The stack pointer, and a call.
  const char *stack, *call;
};

constexpr const char *X86 = "x86_64-pc-linux-gnu";
constexpr Machine Machines[] = {
    {"znver3", X86, 256, "vmulps.*%ymm", "vaddps.*%ymm", "vmovups\t%ymm.*\\(",
     "%rsp", "\tcall"},
    {"skylake-avx512", X86, 512, "vmulps.*%zmm", "vaddps.*%zmm",
     "vmovups\t%zmm.*\\(", "%rsp", "\tcall"},
    {"sapphirerapids", X86, 512, "vmulps.*%zmm", "vaddps.*%zmm",
     "vmovups\t%zmm.*\\(", "%rsp", "\tcall"},
    {"neoverse-n1", "aarch64-linux-gnu", 128, "fmul\tv.*4s", "fadd\tv.*4s",
     "st[u]?r\tq", "sp\\b", "\tbl\\b"},
    {"apple-m1", "arm64-apple-darwin", 128, "fmul(\\.4s)?\tv",
     "fadd(\\.4s)?\tv", "st[u]?r\tq", "sp\\b", "\tbl\\b"}};

std::size_t countOf(const std::string &text, const std::string &pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex),
                       {});
}

std::string asmOf(const char *text, const Machine &machine) {
  auto target = makeTarget({.triple = machine.triple,
                            .cpu = machine.cpu,
                            .features = {},
                            .vectorBits = machine.bits});
  if (!target)
    return target.error().message();
  auto code = dump(planFor(text), *target, OptLevel::Optimized, Stage::Asm);
  return code ? *code : code.error().message();
}

std::string loopOf(const char *text, const Machine &machine) {
  std::string loop;
  for (const std::string &line : innerLoop(asmOf(text, machine)))
    loop += line + '\n';
  return loop;
}

class Assembly : public testing::TestWithParam<Machine> {};

std::string nameOfMachine(const testing::TestParamInfo<Machine> &info) {
  return std::regex_replace(info.param.cpu, std::regex("-"), "_");
}

} // namespace

TEST_P(Assembly, MainLoopIsWhatOneWouldWrite) {
  const std::string code = asmOf("add(mul(@0,@1),@2)", GetParam());
  const auto loop = innerLoop(code);
  ASSERT_FALSE(loop.empty()) << code;
  std::string text;
  for (const std::string &line : loop)
    text += line + '\n';
  const std::size_t vectors = countOf(text, GetParam().multiply);
  EXPECT_GT(vectors, 1u) << text;
  EXPECT_EQ(countOf(text, GetParam().add), vectors) << text;
  EXPECT_EQ(countOf(text, GetParam().store), vectors) << text;
  // One load, one multiplication and one addition with memory operands, one
  // store; and three instructions to count.
  if (GetParam().triple == X86) {
    EXPECT_EQ(loop.size(), 4 * vectors + 3) << text;
    EXPECT_GE(countOf(text, "\\(%r\\w+,%r\\w+,4\\)"), 4 * vectors) << text;
  }
}

TEST_P(Assembly, ArithmeticNeedsNoStack) {
  for (const char *text :
       {"add(@0,@1)", "add(mul(@0,@1),@2)", "sqrt(div(add(mul(@0,2),@1),12))",
        "maximum(minimum(@0,@1),floor(@2))", "clamp(relu(@0),@1,@2)"}) {
    const std::string code = asmOf(text, GetParam());
    EXPECT_NE(code.find("kexpr_kernel:"), std::string::npos) << code;
    EXPECT_EQ(countOf(code, GetParam().stack), 0u) << text << '\n' << code;
  }
}

TEST_P(Assembly, NothingIsCalled) {
  for (const char *text :
       {"add(mul(@0,@1),@2)", "silu(@0)", "pow(@0,@1)",
        "round(trunc(ceil(@0)))", "atan2(erf(@0),@1)", "tan(fmod(@0,@1))"}) {
    const std::string code = asmOf(text, GetParam());
    EXPECT_NE(code.find("kexpr_kernel:"), std::string::npos) << code;
    EXPECT_EQ(countOf(code, GetParam().call), 0u) << text << '\n' << code;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, Assembly, testing::ValuesIn(Machines),
                         nameOfMachine);

TEST(Assembly, TailsAreMasked) {
  EXPECT_EQ(countOf(asmOf("add(@0,@1)", Machines[0]), "\tvmaskmovps"), 3u);
  EXPECT_EQ(countOf(asmOf("add(@0,@1)", Machines[1]), "\\{%k[1-7]\\}"), 3u);
}

TEST(Assembly, SelectsKeepMasksInRegistersOfTheirWidth) {
  const std::string text =
      loopOf("maximum(minimum(@0,@1),clamp(@2,@0,@1))", Machines[0]);
  EXPECT_NE(text.find("vblendvps"), std::string::npos) << text;
  EXPECT_EQ(countOf(text, "vpack|vpmov|vextract|vinsert|vpsh"), 0u) << text;
}

TEST(Assembly, LongBodiesOfAvx2FindConstantsInMemory) {
  const char *folded = "\tvf\\w+ps\t[^%]*\\(%rip\\)";
  const std::string code = loopOf("erf(@0)", Machines[0]);
  EXPECT_GT(countOf(code, folded), countOf(code, "\tvbroadcastss")) << code;
  // Short ones have them in registers, and AVX-512 has a form that broadcasts.
  const std::string few = loopOf("add(mul(@0,2),3)", Machines[0]),
                    wide = loopOf("erf(@0)", Machines[1]);
  EXPECT_GT(countOf(few, "ymm"), 0u);
  EXPECT_EQ(countOf(few, "\\(%rip\\)"), 0u) << few;
  EXPECT_GT(countOf(wide, "zmm"), 0u);
  EXPECT_EQ(countOf(wide, "\\.Lv16f32"), 0u) << wide;
}

TEST(Assembly, ConstantsOfAArch64AreFoundByDistance) {
  // Not by their page, which would tie an image to where it lies.
  const std::string code = asmOf("mul(@0,sigmoid(sin(@0)))", Machines[3]);
  EXPECT_EQ(countOf(code, "adrp|:lo12:"), 0u) << code;
  EXPECT_GT(countOf(code, "\\.LCPI"), 0u);
}
