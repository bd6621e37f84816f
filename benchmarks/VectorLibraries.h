//===- VectorLibraries.h - Functions of SLEEF and glibc as loops ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BENCHMARKS_VECTORLIBRARIES_H
#define KEXPR_BENCHMARKS_VECTORLIBRARIES_H

#include <cstdint>
#include <vector>

namespace kexpr::benchmarks {

/// out[i] = f(x[i], y[i]) with vectors of one width; `count` is a multiple of
/// 16. A function of one argument does not read y.
using LibraryLoop = void (*)(std::int64_t count, const float *x, const float *y,
                             float *out);

/// The loops of one function; null where the library has none.
struct LibraryFunction {
  const char *name;       ///< The operator's.
  LibraryLoop sleef[2];   ///< At most 1.0 ulp; 256 and 512 bits.
  LibraryLoop libmvec[2]; ///< At most 4 ulp.
};

const std::vector<LibraryFunction> &libraryFunctions();

} // namespace kexpr::benchmarks

#endif // KEXPR_BENCHMARKS_VECTORLIBRARIES_H
