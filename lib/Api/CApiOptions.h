//===- Api/CApiOptions.h - Options and records of C -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_API_CAPIOPTIONS_H
#define KEXPR_API_CAPIOPTIONS_H

#include "Api/CApi.h"

#include <algorithm>
#include <cstring>

namespace kexpr::capi {

/// Success, if `size` can be that of a structure called `name`. No version has
/// one of more than some thousand bytes, so what was never set is found out.
Status checkSize(std::size_t size, const char *name);

/// The same, if bytes past `known` of the structure at `given` are all 0.
Status checkUnknown(const void *given, std::size_t size, std::size_t known,
                    const char *name);

/// A structure that the caller may have compiled with another version of the
/// headers: members it does not have are 0. All are where `given` is null.
template <class T> Expected<T> read(const T *given, const char *name) {
  T result{};
  if (!given)
    return result;
  std::size_t size;
  std::memcpy(&size, given, sizeof size);
  if (auto status = checkSize(size, name); !status)
    return status.error();
  if (auto status = checkUnknown(given, size, sizeof(T), name); !status)
    return status.error();
  std::memcpy(&result, given, std::min(size, sizeof(T)));
  return result;
}

/// Writes what the structure at `out`, whose size is set, has of `record`.
template <class T> Status write(T record, T *out, const char *name) {
  if (!out)
    return isNull(name);
  std::size_t size;
  std::memcpy(&size, out, sizeof size);
  if (auto status = checkSize(size, name); !status)
    return status.error();
  std::memset(static_cast<void *>(out), 0, size);
  record.size = size;
  std::memcpy(static_cast<void *>(out), &record, std::min(size, sizeof(T)));
  return {};
}

/// Options of C as those of C++, or what is wrong with them.
Expected<EngineOptions> optionsOf(const kexpr_engine_options *given);
Expected<CompileOptions> optionsOf(const kexpr_compile_options *given);
Expected<RunOptions> optionsOf(const kexpr_run_options *given);
Expected<GraphOptions> optionsOf(const kexpr_graph_options *given);
Expected<ParseLimits> limitsOf(const kexpr_parse_limits *given);

/// Options of C++ as those of C.
kexpr_run_options optionsOf(const RunOptions &options);

} // namespace kexpr::capi

#endif // KEXPR_API_CAPIOPTIONS_H
