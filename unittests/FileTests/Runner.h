//===- FileTests/Runner.h - What the directives do --------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FILETESTS_RUNNER_H
#define KEXPR_UNITTESTS_FILETESTS_RUNNER_H

#include "CodeGen/CodeGen.h"
#include "Dump/Types.h"
#include "FileTests/TestFile.h"
#include "kexpr/Engine.h"

#include <functional>

namespace kexpr::filetests {

/// Carries out the directives of one file in order. What a directive records
/// (a graph, an error, results) is rewritten to what the code does now; what it
/// checks fails the running test.
class Runner {
public:
  void run(std::vector<Directive> &directives);

private:
  using Handler = void (Runner::*)(Directive &);
  static Handler handlerOf(const std::string &name);

  void expression(Directive &directive);
  void operands(Directive &directive);
  void error(Directive &directive);
  void graph(Directive &directive);
  void llvm(Directive &directive);
  void assembly(Directive &directive);
  void explanation(Directive &directive);
  void elements(Directive &directive);

  /// Holds what `dump` makes of the plan for the directive's machine against
  /// the check lines.
  using Dump = std::function<Expected<std::string>(const semantics::Plan &,
                                                   const codegen::Target &)>;
  void check(const Directive &directive, const Dump &dump);
  /// The plan of the expression, or what is wrong with it.
  Expected<semantics::Plan> plan() const;
  /// The result of each output, computed in many lanes, for operands whose
  /// elements have these bits.
  std::vector<std::string> compute(const std::vector<std::uint64_t> &values,
                                   Mode mode) const;
  static std::string spellAll(const TensorView &output);
  semantics::Access accessOf(std::size_t operand) const;

  Engine engine;
  std::string text;
  tools::Operands given;
};

} // namespace kexpr::filetests

#endif // KEXPR_UNITTESTS_FILETESTS_RUNNER_H
