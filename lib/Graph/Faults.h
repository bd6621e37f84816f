//===- Graph/Faults.h - Errors that name an operator ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_GRAPH_FAULTS_H
#define KEXPR_GRAPH_FAULTS_H

#include "Support/Guarded.h"
#include "Support/Text.h"
#include "kexpr/PnnxModel.h"

namespace kexpr::graph {

/// A name in full: hosts look for it in their files.
inline std::string quotedName(std::string_view name) {
  return concat('\'', name, '\'');
}

/// "F.relu 'relu_3' in line 17".
inline std::string describe(const PnnxOperator &op) {
  return concat(op.type, ' ', quotedName(op.name), " in line ", op.line);
}

/// An error with the operator in front of its message.
inline Error inOperator(const PnnxOperator &op, const Error &error) {
  std::string message = concat(describe(op), ": ", error.message());
  return error.hasRange() ? Error(error.code(), std::move(message),
                                  error.source(), error.range())
                          : Error(error.code(), std::move(message));
}

/// The result of `call`, which runs code of the host. An exception of that
/// becomes an error.
template <class F> auto callHost(F call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &exception) {
    return Error(ErrorCode::InvalidArgument,
                 std::string("its layer threw: ") + exception.what());
  } catch (...) {
    return Error(ErrorCode::InvalidArgument, "its layer threw an exception");
  }
}

/// What `make` returns, or an empty container if it throws.
template <class F> auto orEmpty(F make) noexcept -> decltype(make()) {
  auto made = guarded([&]() -> Expected<decltype(make())> { return make(); });
  return made ? std::move(*made) : decltype(make())();
}

} // namespace kexpr::graph

#endif // KEXPR_GRAPH_FAULTS_H
