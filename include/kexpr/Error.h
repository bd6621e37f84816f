//===- kexpr/Error.h - Errors as values -------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_ERROR_H
#define KEXPR_ERROR_H

#include "kexpr/Export.h"

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace kexpr {
inline namespace v2 {

/// What kind of thing went wrong. Values are stable and shared with the C API.
enum class ErrorCode {
  InvalidSyntax = 1,     ///< The text is not an expression, or a file broken.
  LimitExceeded = 2,     ///< A parse limit was passed: length, depth, nodes...
  UnknownOperator = 3,   ///< A name that no operator has.
  WrongArity = 4,        ///< Too few or too many arguments.
  TypeMismatch = 5,      ///< An operator cannot take that element type.
  ShapeMismatch = 6,     ///< Shapes that do not broadcast, or a wrong output.
  MissingOperand = 7,    ///< Fewer operands given than the expression uses.
  InvalidArgument = 8,   ///< A null pointer, a bad option, a bad stride.
  OverlappingOutput = 9, ///< An output shares memory with something it may not.
  Unsupported = 10,      ///< Understood, but there is no meaning to compute.
  CompileFailed = 11,    ///< Code generation or linking failed.
  OutOfMemory = 12,      ///< Memory or threads ran out.
  Io = 13,               ///< A file could not be read or written.
};

/// A half-open range of bytes in a text: [begin, end). Empty where an error has
/// no range, or has one at the end of the text (`Error::hasRange`).
struct SourceRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin >= end; }
  friend bool operator==(SourceRange a, SourceRange b) {
    return a.begin == b.begin && a.end == b.end;
  }
};

/// A code, one sentence (lower-case start, no full stop) and, where the fault
/// is in a text, that text and the range in it. An ordinary value: copy it,
/// keep it, send it to another thread.
class KEXPR_API Error {
public:
  Error(ErrorCode code, std::string message)
      : errorCode(code), sentence(std::move(message)) {}
  Error(ErrorCode code, std::string message, std::string source,
        SourceRange range)
      : errorCode(code), sentence(std::move(message)), text(std::move(source)),
        faultRange(range), ranged(true) {}

  ErrorCode code() const { return errorCode; }
  const std::string &message() const { return sentence; }
  /// The expression or file the fault is in; empty when there is none.
  const std::string &source() const { return text; }
  SourceRange range() const { return faultRange; }
  /// Whether `range()` is meaningful. It may be empty all the same, for a fault
  /// at the end of the text.
  bool hasRange() const { return ranged; }

  /// `error: <message>`, and for a fault with a range the line it is on and a
  /// caret with tildes under the range. Long lines are cut around the range;
  /// control characters are shown as spaces. No trailing newline. Shorter where
  /// memory runs out.
  std::string render() const;

private:
  ErrorCode errorCode;
  std::string sentence;
  std::string text;
  SourceRange faultRange;
  bool ranged = false;
};

/// A `T`, or the error for which there is none. True means a value. `*` and
/// `->` need one, `error()` needs an error.
template <class T, class E = Error> class [[nodiscard]] Expected {
public:
  Expected(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Expected(E error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }
  const E &error() const {
    assert(!*this && "error() of a value");
    return *std::get_if<1>(&state);
  }

private:
  std::variant<T, E> state;
};

/// Success, or an error. True means success.
template <class E> class [[nodiscard]] Expected<void, E> {
public:
  // Not defaulted, which would have every success set all bytes to 0 first.
  Expected() {}
  Expected(E error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  const E &error() const {
    assert(!*this && "error() of a success");
    return *std::get_if<1>(&state);
  }

private:
  std::variant<std::monostate, E> state;
};

using Status = Expected<void>;

} // namespace v2
} // namespace kexpr

#endif // KEXPR_ERROR_H
