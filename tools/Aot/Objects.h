//===- Aot/Objects.h - Object files with a C header -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_AOT_OBJECTS_H
#define KEXPR_TOOLS_AOT_OBJECTS_H

#include "Backend/Backend.h"
#include "Common/Files.h"
#include "Dump/Types.h"

namespace kexpr::tools {

/// Compiles expressions to functions of C, which need nothing of kexpr.
class Objects {
public:
  static Expected<Objects> create(codegen::TargetOptions options);

  /// Compiles an expression to the function `kexpr_NAME` in `NAME.o`. Operands
  /// past the end of `operands` are contiguous f32. Errors: InvalidArgument for
  /// a name that is none in C, or is taken; Unsupported for expressions that
  /// reduce, depend on sizes or have strided operands; those of checking.
  Status add(const std::string &name, const Expression &expression,
             const Operands &operands, Precision precision);
  /// Writes the objects, and `kernels.h`. Errors: Io.
  Status write(const std::string &directory) const;

private:
  Objects(const backend::Backend &backend, codegen::Target target)
      : backend(&backend), target(std::move(target)) {}

  const backend::Backend *backend;
  codegen::Target target;
  std::vector<File> files;
  std::string functions;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_AOT_OBJECTS_H
