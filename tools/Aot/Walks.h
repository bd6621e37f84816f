//===- Aot/Walks.h - The calls to make code for -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_AOT_WALKS_H
#define KEXPR_TOOLS_AOT_WALKS_H

#include "Dump/Types.h"
#include "kexpr/Kernel.h"

#include <string>
#include <vector>

namespace kexpr::tools {

/// Has the kernel's engine make the loops of calls whose operands move in all
/// the ways that these let them; operands past their end are contiguous f32. Of
/// a kernel that reduces, those of calls of several shapes. Returns what calls
/// were left out, in words; empty for none. Errors: those of the engine, and
/// InvalidArgument where none of the shapes fits.
Expected<std::string> makeWalks(const Kernel &kernel, const Operands &operands);

/// The same for calls whose operands have these shapes, contiguous; those past
/// the end have the last one's.
Status makeShapes(const Kernel &kernel, const Operands &operands,
                  const std::vector<Shape> &shapes);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_AOT_WALKS_H
