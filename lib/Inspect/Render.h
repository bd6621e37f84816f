//===- Inspect/Render.h - Every stage as text -----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All texts are the same from run to run. LLVM is loaded for the stages that
/// need it, and for no other. All functions may be called from any thread.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_INSPECT_RENDER_H
#define KEXPR_INSPECT_RENDER_H

#include "Backend/Backend.h"
#include "kexpr/Stage.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::inspect {

/// Every stage, in the order of the pipeline.
inline constexpr Stage AllStages[] = {
    Stage::Tokens, Stage::Ast,  Stage::Rpn,  Stage::Graph,
    Stage::Dot,    Stage::Plan, Stage::Llvm, Stage::LlvmOpt,
    Stage::Mir,    Stage::Asm,  Stage::Obj,  Stage::Explain};
static_assert(std::size(AllStages) == StageCount);

/// The file name of a stage: `tokens.txt`, `kernel.opt.ll`.
std::string_view fileNameOf(Stage stage);

/// Whether a stage shows the parsed text, which need not be valid to compile.
bool isOfText(Stage stage);
/// Whether a stage shows code for a target.
bool isOfCode(Stage stage);

/// A kernel to render.
struct Subject {
  const Expression &expression;
  const semantics::Plan &plan;
  codegen::OptLevel level;
  /// Called for stages that show code.
  std::function<Expected<codegen::Target>()> target;
};

/// The graph in Graphviz's language, titled: operands are boxes, numbers are
/// notes, conversions are diamonds, operators are ellipses, outputs are houses,
/// and each edge says the type of what goes along it. Arguments enter a node
/// from left to right.
std::string dotOf(const semantics::Graph &graph, std::string_view title);

/// A stage that `isOfText`.
std::string render(Stage stage, const Expression &expression);
/// One loop of a plan, under a heading: "sweep 1 of 4: amax r1, over -1".
struct LoopOf {
  semantics::Plan plan;
  std::string heading; ///< Empty if the plan itself is the loop.
};
/// The loops that a plan runs as: itself, or the sweeps of one that reduces, as
/// they are where the reduced axes are the last. `rN` is value N of the plan.
std::vector<LoopOf> loopsOf(const semantics::Plan &plan);

/// Any stage: text, or bytes of `Stage::Obj`: an object file, or an archive of
/// those of all sweeps. CompileFailed where LLVM is missing or fails.
Expected<std::string> render(Stage stage, const Subject &subject);
/// See `codegen::dumpAfter`.
Expected<std::string> renderAfter(std::string_view pass,
                                  const Subject &subject);

} // namespace kexpr::inspect

#endif // KEXPR_INSPECT_RENDER_H
