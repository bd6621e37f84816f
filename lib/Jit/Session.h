//===- Jit/Session.h - Object code linked to images -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_JIT_SESSION_H
#define KEXPR_JIT_SESSION_H

#include "Code/Features.h"
#include "Code/Image.h"
#include "kexpr/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kexpr::jit {

/// An ORC execution session whose JITLink links object files to images, which
/// hold nothing of the session. Linking may be asked for from any thread.
class Session {
public:
  virtual ~Session() = default;
  static Expected<std::shared_ptr<Session>> create();

  /// Links a relocatable object file; the image's entry is `symbol`. Two
  /// objects may define the same symbol; neither sees the other. An error for
  /// bytes that are no object file, for one of another architecture than
  /// `architecture`, and for one that refers to a symbol outside itself or to
  /// an absolute address.
  virtual Expected<code::Image>
  link(const std::vector<char> &object, const std::string &symbol,
       std::string_view architecture = code::ownArchitecture()) = 0;
};

} // namespace kexpr::jit

#endif // KEXPR_JIT_SESSION_H
