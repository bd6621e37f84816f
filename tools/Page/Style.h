//===- Page/Style.h - How the page looks ----------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_PAGE_STYLE_H
#define KEXPR_TOOLS_PAGE_STYLE_H

namespace kexpr::tools {

/// The style sheet of the page: one column on a phone, light or dark as the
/// reader has it, and series that differ in lightness, dashes and marks where
/// colours look alike.
extern const char *const pageStyle;

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_PAGE_STYLE_H
