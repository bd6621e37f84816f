//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Hash.h"

#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace kexpr;

std::uint64_t kexpr::hashOf(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Digest Digest::of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string Digest::str() const {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx",
                static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}
