//===- Code/Descriptor.h - Open files -------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_DESCRIPTOR_H
#define KEXPR_CODE_DESCRIPTOR_H

#include "Support/SystemText.h"
#include "Support/Text.h"
#include "Support/Uncancelled.h"
#include "kexpr/Error.h"

#include <cerrno>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace kexpr::code {

/// A file that is closed when the object goes. Negative is none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    close();
    number = other.release();
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return number >= 0; }
  operator int() const { return number; }
  bool close() {
    const int closed = std::exchange(number, -1);
    const Uncancelled whole;
    return closed < 0 || ::close(closed) == 0;
  }
  int release() { return std::exchange(number, -1); }

  /// Whether all of it was written, where the file is at. A failure raises no
  /// signal.
  bool write(std::string_view contents) const;

private:
  int number;
};

/// Of a file or directory; `problem` goes on after its name.
inline Error ioError(const std::string &subject, std::string_view problem) {
  return {ErrorCode::Io, concat("'", subject, "' ", problem)};
}

/// The same with what `errno` says.
inline Error systemError(const std::string &subject, std::string_view problem) {
  return ioError(subject, concat(problem, ": ", errorText(errno)));
}

/// A suffix for names of files that no other call, here or in another process,
/// gives.
std::string uniqueSuffix();

} // namespace kexpr::code

#endif // KEXPR_CODE_DESCRIPTOR_H
