//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"

#include <string>

using namespace kexpr;

/// What the accessors read. It owns nothing, so that one can exist where there
/// is no memory for another.
struct kexpr_error {
  kexpr_code code;
  const char *message;
  const char *rendered;
  const char *source;
  SourceRange range;
  bool placed;
};

namespace {
struct OwnedError : kexpr_error {
  explicit OwnedError(const Error &given)
      : kexpr_error(), error(given), text(error.render()) {
    code = static_cast<kexpr_code>(error.code());
    message = error.message().c_str();
    rendered = text.c_str();
    source = error.source().c_str();
    range = error.range();
    placed = error.hasRange();
  }

  Error error;
  std::string text;
};
} // namespace

static kexpr_error exhausted = {
    KEXPR_OUT_OF_MEMORY, "out of memory", "error: out of memory", "", {}, false,
};

kexpr_code capi::fail(const Error &error, kexpr_error **out) noexcept {
  try {
    if (out)
      *out = new OwnedError(error);
  } catch (...) {
    *out = &exhausted;
    return exhausted.code;
  }
  return static_cast<kexpr_code>(error.code());
}

Error capi::isNull(const char *what) {
  return {ErrorCode::InvalidArgument, std::string(what) + " is null"};
}

void kexpr_error_free(kexpr_error *error) {
  if (error != &exhausted)
    delete static_cast<OwnedError *>(error);
}

kexpr_code kexpr_error_code(const kexpr_error *error) {
  return error ? error->code : KEXPR_OK;
}

const char *kexpr_error_message(const kexpr_error *error) {
  return error ? error->message : "";
}

const char *kexpr_error_render(const kexpr_error *error) {
  return error ? error->rendered : "";
}

const char *kexpr_error_source(const kexpr_error *error) {
  return error ? error->source : "";
}

bool kexpr_error_range(const kexpr_error *error, size_t *begin, size_t *end) {
  const SourceRange range = error ? error->range : SourceRange();
  if (begin)
    *begin = range.begin;
  if (end)
    *end = range.end;
  return error && error->placed;
}
