//===- Dump/PageWords.h - What the page says of a kernel ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGEWORDS_H
#define KEXPR_TOOLS_DUMP_PAGEWORDS_H

#include "Dump/PageData.h"

namespace kexpr::tools {

// All are HTML.

/// The figures that matter most, side by side.
std::string factsHtml(const PageData &data);

/// Why the kernel takes the time it takes, in a few sentences.
std::string answerHtml(const PageData &data);

/// What is measured and what moving the bytes takes, size by size; a sentence
/// if nothing was measured.
std::string timesHtml(const PageData &data);

/// In what the prediction may be wrong, as far as that can be told.
std::string doubtsHtml(const PageData &data);

/// Each term in a line; texts refer to them by `term`.
std::string wordsHtml();

/// A link to what a term means: `shown`, or the term itself.
std::string term(std::string_view id, std::string_view shown);

/// What limits a size: its bytes, computing, or neither alone.
std::string verdictOf(const PageData &data, const LoopTime &time);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGEWORDS_H
