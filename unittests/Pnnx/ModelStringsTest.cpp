//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The strings in the networks that PNNX wrote, one by one.
///
//===----------------------------------------------------------------------===//
#include "Pnnx/ModelFile.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <set>

using namespace kexpr;
using namespace kexpr::test;

namespace {

/// Calls visit(model, op) for every operator of every file.
template <class F> void forEachOperator(F visit) {
  for (const ListedModel &listed : listedModels())
    for (const std::string &stem : listed.stems()) {
      const auto model = loadListed(stem);
      ASSERT_TRUE(model) << model.error().render();
      SCOPED_TRACE(stem);
      for (const PnnxOperator &op : model->operators())
        visit(*model, op);
    }
}

/// The kernel of a string gives what the file says of its output.
void checkKernel(const PnnxModel &model, const PnnxOperator &op,
                 const std::string &text) {
  CompileOptions options{.mode = Mode::Interpret};
  for (std::uint32_t input : op.inputs)
    options.operandTypes.push_back(
        model.operands()[input].type.value_or(DType::F32));
  const auto kernel = Engine().compile(text, options);
  ASSERT_TRUE(kernel) << kernel.error().render();
  const DType type = kernel->outputType();
  EXPECT_EQ(model.operands()[op.outputs[0]].type.value_or(type), type) << text;
}

TEST(ModelStrings, AllParseAndCompile) {
  std::set<std::string> seen;
  forEachOperator([&](const PnnxModel &model, const PnnxOperator &op) {
    const std::string *text = op.parameter("expr");
    if (!text)
      return;
    seen.insert(*text);
    const auto expression = Expression::parse(*text);
    ASSERT_TRUE(expression) << expression.error().render();
    // A constant may be None, of which there is no kernel.
    if (!op.inputs.empty())
      checkKernel(model, op, *text);
    else
      EXPECT_TRUE(evaluate(*expression, {})) << *text;
  });
  EXPECT_GT(seen.size(), 80u);
}

TEST(ModelStrings, UseEveryOperatorThatPnnxWrites) {
  std::set<std::string_view> used;
  std::vector<Expression> kept;
  forEachOperator([&](const PnnxModel &, const PnnxOperator &op) {
    if (const std::string *text = op.parameter("expr"))
      kept.push_back(*Expression::parse(*text));
  });
  for (const Expression &expression : kept)
    for (const Node &node : expression.nodes())
      if (node.kind == NodeKind::Call)
        used.insert(node.name);
  for (const OperatorInfo &op : operators())
    // PNNX would write tanh, but takes it for F.tanh before it writes strings.
    if (op.name != "tanh") {
      EXPECT_EQ(used.count(op.name) + used.count(op.aliases) > 0, op.pnnx)
          << op.name;
    }
}

} // namespace
