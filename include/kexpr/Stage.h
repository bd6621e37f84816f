//===- kexpr/Stage.h - What an expression becomes ---------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_STAGE_H
#define KEXPR_STAGE_H

#include "kexpr/Error.h"

#include <cstdint>
#include <string_view>

namespace kexpr {
inline namespace v2 {

/// A form of an expression on its way to machine code, as `Kernel::dump` shows
/// it. Values are stable and shared with the C API.
enum class Stage : std::uint8_t {
  Tokens = 0, ///< The words of the text and their ranges.
  Ast = 1,    ///< The tree.
  Rpn = 2,    ///< The reverse Polish order and the height of its stack.
  Graph = 3,  ///< The checked, simplified graph.
  Dot = 4,    ///< The same for Graphviz.
  /// The graph, the access patterns of operands, and the work of one element.
  Plan = 5,
  Llvm = 6,    ///< LLVM IR as it is emitted.
  LlvmOpt = 7, ///< LLVM IR as instruction selection gets it.
  Mir = 8,     ///< The finished machine function, as LLVM's MIR text.
  Asm = 9,     ///< Assembly.
  Obj = 10,    ///< The bytes of an object file.
  Explain = 11 ///< The shape of the main loop, and what LLVM predicts of it.
};

inline constexpr std::size_t StageCount = 12;

/// "tokens", "llvm-opt"...; "?" for what is no stage.
KEXPR_API std::string_view nameOf(Stage stage);
/// The stage of a name; InvalidArgument if there is none.
KEXPR_API Expected<Stage> parseStage(std::string_view name);

} // namespace v2
} // namespace kexpr

#endif // KEXPR_STAGE_H
