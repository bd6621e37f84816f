//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Npy.h"
#include "Tools/Command.h"

#include <algorithm>
#include <cstring>

using namespace kexpr;
using test::run;

static const std::string networkTool = KEXPR_RUN;

namespace {
/// A network of two inputs and two outputs in a file.
class RunNetwork : public ::testing::Test {
protected:
  RunNetwork() {
    test::writeFile(param, "7767517\n6 4\n"
                           "pnnx.Input a 0 1 x #x=(2)f32\n"
                           "pnnx.Input b 0 1 y #y=(2)f32\n"
                           "pnnx.Expression e 2 1 x y s expr=sub(@0,@1)\n"
                           "F.relu r 1 1 s t\n"
                           "pnnx.Output o1 1 0 s\n"
                           "pnnx.Output o2 1 0 t\n");
  }

  test::TemporaryDirectory directory;
  const std::string param = directory.path("net.pnnx.param");
  const std::string out = directory.path("out.npy");
};
} // namespace

TEST_F(RunNetwork, PrintsSummaries) {
  const auto result = run({networkTool, "--pnnx", param, "arange:f32[2]",
                           "full:1:f32[2]", "--interpret"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "o1 f32[2]\n  min    -1\n  max    0\n  mean   -0.5\n"
                        "  first  -1 0\n"
                        "o2 f32[2]\n  min    0\n  max    0\n  mean   0\n"
                        "  first  0 0\n");
}

TEST_F(RunNetwork, InputsAndOutputsByName) {
  const auto words = [&](const std::string &output) {
    return std::vector<std::string>{networkTool,       "--pnnx",        param,
                                    "b=full:1:f32[2]", "full:3:f32[2]", "-o",
                                    output + out,      "--interpret"};
  };
  for (const char *name : {"", "o1=", "o2=", "t="}) {
    const auto result = run(words(name));
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(tools::readNpy(out)->at(1), 2) << name;
  }
  const auto input = run(words("x="));
  ASSERT_EQ(input.code, 0) << input.err;
  EXPECT_EQ(tools::readNpy(out)->at(1), 3);
}

TEST_F(RunNetwork, PrintsTheNetwork) {
  const auto result =
      run({networkTool, "--pnnx", param, "--print", "--interpret"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "input  a f32[2]\ninput  b f32[2]\n"
                        "output o1 ?\noutput o2 ?\n"
                        "kernel e r\n  4 elements, 32 bytes\n"
                        "  %0=sub(@0,@1);[%0,relu(%0)]\n");
  const auto apart = run(
      {networkTool, "--pnnx", param, "--print", "--no-fuse", "--interpret"});
  EXPECT_NE(apart.out.find("kernel r\n"), std::string::npos) << apart.out;
}

TEST_F(RunNetwork, ElementsOfATuple) {
  test::writeFile(param, "7767517\n4 3\n"
                         "pnnx.Input a 0 1 x #x=(2)f32\n"
                         "F.relu r 1 1 x y\n"
                         "prim::TupleConstruct t 2 1 x y u\n"
                         "pnnx.Output o 1 0 u\n");
  for (const char *name : {"o.1=", "y="}) {
    const auto result = run({networkTool, "--pnnx", param, "full:-3:f32[2]",
                             "-o", name + out, "--interpret"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(tools::readNpy(out)->at(1), 0);
  }
  EXPECT_EQ(run({networkTool, "--pnnx", param, "full:-3:f32[2]", "-o", out,
                 "-o", out, "--interpret"})
                .code,
            0);
}

TEST_F(RunNetwork, Stats) {
  const auto result = run({networkTool, "--pnnx", param, "full:1:f32[2]",
                           "full:1:f32[2]", "--stats", "--interpret"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char *text : {"kernel e r\n", " us\n", "memory   ", "cache    "})
    EXPECT_NE(result.out.find(text), std::string::npos) << text;
}

TEST_F(RunNetwork, BlocksThatReduceAreOneKernel) {
  struct Block {
    const char *operators, *kernel, *last;
  };
  const Block blocks[] = {
      {"pnnx.Input c 0 1 z #z=(2,8)f32\n"
       "pnnx.Expression e 3 1 x y z s expr=add(add(mul(@0,0.125),@1),@2)\n"
       "F.softmax f 1 1 s t dim=-1 $input=s #s=(2,8)f32 #t=(2,8)f32\n",
       "kernel e f\n", "rand:3:f32[2,8]"},
      {"pnnx.Input c 0 1 z #z=(8)f32\n"
       "nn.LayerNorm n 1 1 x r elementwise_affine=False eps=1e-5 "
       "normalized_shape=(8) #r=(2,8)f32\n"
       "pnnx.Expression e 3 1 r y z s expr=add(mul(@0,@2),@1) #s=(2,8)f32\n"
       "F.gelu g 1 1 s t $input=s #t=(2,8)f32\n",
       "kernel n e g\n", "rand:3:f32[8]"},
      {"pnnx.Input c 0 1 z #z=(8)f32\n"
       "pnnx.Expression e 2 1 x y r expr=add(@0,@1) #r=(2,8)f32\n"
       "pnnx.Expression q 1 1 r p expr=mul(@0,@0) #p=(2,8)f32\n"
       "torch.mean m 1 1 p n dim=(-1) keepdim=True $input=p #n=(2,1)f32\n"
       "pnnx.Expression s 3 1 r n z t "
       "expr=mul(mul(@0,rsqrt(add(@1,1e-6))),@2) #t=(2,8)f32\n",
       "kernel e q m s\n", "rand:3:f32[8]"},
  };
  for (const Block &block : blocks) {
    const std::string operators = block.operators;
    const auto count = std::count(operators.begin(), operators.end(), '\n');
    test::writeFile(param, "7767517\n" + std::to_string(count + 3) + " " +
                               std::to_string(count + 2) +
                               "\npnnx.Input a 0 1 x #x=(2,8)f32\n"
                               "pnnx.Input b 0 1 y #y=(2,8)f32\n" +
                               operators + "pnnx.Output o 1 0 t\n");
    const auto result =
        run({networkTool, "--pnnx", param, "rand:1:f32[2,8]", "rand:2:f32[2,8]",
             block.last, "--stats", "--interpret"});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::size_t at = result.out.find("kernel ");
    EXPECT_EQ(result.out.compare(at, std::strlen(block.kernel), block.kernel),
              0)
        << result.out;
    EXPECT_EQ(result.out.find("kernel ", at + 1), std::string::npos)
        << result.out;
  }
}

TEST_F(RunNetwork, Faults) {
  const auto messageOf = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {networkTool, "--pnnx"});
    const auto result = run(words);
    EXPECT_EQ(result.code, 1) << result.out;
    return result.err;
  };
  EXPECT_EQ(messageOf({param, "full:1:f32[2]"}),
            "error: input 'b' is missing: 1 tensors given for 2 inputs\n");
  EXPECT_EQ(messageOf({param, "full:1:f32[2]", "full:1:f32[2]", "z.npy"}),
            "error: 'z.npy' is one more than the network's 2 inputs\n");
  EXPECT_EQ(messageOf({param, "full:1:f32[2]", "full:1:f32[2]", "-o", out, "-o",
                       out, "-o", out}),
            "error: '" + out + "' is one more than the network's 2 outputs\n");
  EXPECT_NE(messageOf({directory.path("none.pnnx.param")}).find("none.pnnx"),
            std::string::npos);
  EXPECT_EQ(run({networkTool, "x", "--no-fuse"}).code, 2);
}
