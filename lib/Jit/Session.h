//===- Jit/Session.h - Object code linked into this process ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_JIT_SESSION_H
#define KEXPR_JIT_SESSION_H

#include "kexpr/Error.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kexpr::jit {

/// Code that was linked into this process. Its memory is returned when the
/// object goes, so whoever may still run the code must hold it.
class Code {
public:
  virtual ~Code() = default;
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  /// Where the function starts.
  virtual void *address() const = 0;
  /// Bytes of memory held by the code and its constants.
  virtual std::size_t size() const = 0;

protected:
  Code() = default;
};

/// An ORC execution session with JITLink. Linking may be asked for from any
/// thread; code outlives the session object that linked it.
class Session {
public:
  virtual ~Session() = default;
  static Expected<std::shared_ptr<Session>> create();

  /// Links a relocatable object file and finds `symbol` in it. Two objects may
  /// define the same symbol; neither sees the other. An error for bytes that
  /// are no object file, for one of another architecture, and for one that
  /// refers to a symbol outside itself.
  virtual Expected<std::shared_ptr<Code>> link(std::vector<char> object,
                                               const std::string &symbol) = 0;
};

} // namespace kexpr::jit

#endif // KEXPR_JIT_SESSION_H
