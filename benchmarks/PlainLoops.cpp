//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PlainLoops.h"

#include <cmath>
#include <cstring>

#define RESTRICT __restrict

static void e1(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0], *RESTRICT b = in[1];
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = a[i] + b[i];
}

static void e2(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0], *RESTRICT b = in[1], *RESTRICT c = in[2];
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = a[i] * b[i] + c[i];
}

static void e3(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0];
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = a[i] / (1 + std::exp(-a[i]));
}

static void e4(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0], *RESTRICT b = in[1];
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = std::sqrt((a[i] * 2 + b[i]) / 12);
}

static void e5(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0], *RESTRICT b = in[1], *RESTRICT c = in[2],
                        *RESTRICT d = in[3], *RESTRICT e = in[4],
                        *RESTRICT f = in[5];
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = a[i] * b[i] + c[i] * (a[i] + c[i] + d[i] + e[i]) + f[i];
}

static void e6(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0];
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = a[i];
    const float inner = (x + x * x * x * 0.044715f) * 0.79788456f;
    out[i] = x * 0.5f * (std::tanh(inner) + 1);
  }
}

static void e7(std::int64_t n, float *RESTRICT out, const float *const *in) {
  const float *RESTRICT a = in[0], *RESTRICT b = in[1];
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = std::sin(a[i]) + std::cos(b[i]) * std::exp(-(a[i] * a[i]));
}

PlainLoop plainLoop(const char *name) {
  constexpr PlainLoop loops[] = {e1, e2, e3, e4, e5, e6, e7};
  const bool known = std::strlen(name) == 2 && name[0] == 'E' &&
                     name[1] >= '1' && name[1] <= '7';
  return known ? loops[name[1] - '1'] : nullptr;
}

const char *plainCompiler() {
#if defined(__clang__)
  return __VERSION__ " -O3 -march=native";
#else
  return "GCC " __VERSION__ " -O3 -march=native";
#endif
}
