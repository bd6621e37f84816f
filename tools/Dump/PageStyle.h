//===- Dump/PageStyle.h - How the page of a kernel looks ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGESTYLE_H
#define KEXPR_TOOLS_DUMP_PAGESTYLE_H

namespace kexpr::tools {

/// What the page adds to `pageStyle`. Colours of series are those of parts and
/// nothing else; all other bars are grey.
extern const char *const kernelStyle;

/// Shows a part everywhere when it is pointed at or has the focus, and keeps it
/// when it is clicked or entered.
extern const char *const kernelScript;

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGESTYLE_H
