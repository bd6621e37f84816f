//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of rows of elements that take long to compute: wherever these are
// kept, in an output in turn with what is made of them or in a tile, bits are
// those of a kernel for the elements and one for the function.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::kept {
namespace {

/// `function` of X, in which X is long.
std::string of(std::string function, const std::string &x) {
  for (std::size_t at; (at = function.find('X')) != std::string::npos;)
    function.replace(at, 1, x);
  return function;
}

constexpr const char *Functions[] = {
    "softmax(X,1)",
    "layer_norm(X,1)",
    "rms_norm(X,1)",
    "log_softmax(X,1)",
    "softmax(mul(softmax(X,1),X),1)",
    "add(mul(X,sum(X,1,True)),@0)",
    "[var(X,1),amax(X,1,True),X]",
};

/// Rows as they lie in memory, short and long, and as columns.
std::vector<Tensor> layouts() {
  std::vector<Tensor> all;
  for (const Shape &shape :
       {Shape{40, 9}, Shape{40, 16}, Shape{30, 22}, Shape{20, 24},
        Shape{3, 300}, Shape{2, 2049}, Shape{20, 12, 28}, Shape{3, 24, 300},
        Shape{2, 260, 600}, Shape{1, 1100, 70}})
    all.push_back(randomTensor(DType::F32, shape, 41));
  return all;
}

TEST(KeptElements, AreThoseOfAKernelOfTheirOwn) {
  for (const Tensor &x : layouts())
    for (const char *element : {"gelu(@0)", "div(exp(tanh(@0)),3)"}) {
      const Tensors alone = outputsOf(element, {x});
      for (const std::string function : Functions) {
        if (function.find("@0") != std::string::npos)
          continue; // Of the operand, too.
        const Way way = nextWay();
        const Tensors expected = outputsOf(of(function, "@0"), alone, way);
        const Tensors outputs = outputsOf(of(function, element), {x}, way);
        for (std::size_t i = 0; i < outputs.size(); ++i)
          ASSERT_EQ(outputs[i].bytes(), expected[i].bytes())
              << of(function, element) << " of " << x.shape.str() << ", output "
              << i << ", " << way.str();
      }
    }
}

TEST(KeptElements, AreTheSameHoweverTheyAreShared) {
  const Tensor x = randomTensor(DType::F32, {2, 260, 600}, 42);
  for (const Precision precision : {Precision::Default, Precision::Accurate})
    for (const std::string function : Functions) {
      const std::string text = of(function, "gelu(@0)");
      const Tensors expected =
          outputsOf(text, {x}, {Mode::Interpret, 0, runOptions(1), precision});
      for (const RunOptions &options :
           {runOptions(1), runOptions(4, 64), runOptions(3, 100000)}) {
        const Tensors outputs =
            outputsOf(text, {x}, {Mode::Optimized, 0, options, precision});
        for (std::size_t i = 0; i < outputs.size(); ++i)
          ASSERT_EQ(outputs[i].bytes(), expected[i].bytes()) << text;
      }
    }
}

TEST(KeptElements, MayLieInTheOperand) {
  for (const Tensor &x : layouts())
    for (const char *function :
         {"softmax(X,1)", "layer_norm(X,1)", "softmax(mul(softmax(X,1),X),1)"})
      expectSameInPlace(of(function, "gelu(@0)"), x);
}

} // namespace
} // namespace kexpr::test::rows::kept
