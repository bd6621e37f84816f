//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "VectorLibraries.h"

#include <immintrin.h>

using namespace kexpr::benchmarks;

// Declared here: the headers show what the compiler's own flags allow, and
// libmvec has none. Each macro declares a library function and makes a loop of
// it, named NAME_sleef_256 and so on.
#define KEXPR_LOOP(SIDE, NAME, BITS, STEP, TARGET, FUNCTION, PARAMETERS, CALL) \
  extern "C" __m##BITS FUNCTION PARAMETERS;                                    \
  [[gnu::target(TARGET)]] static void NAME##_##SIDE##_##BITS(                  \
      std::int64_t count, const float *x, const float *y, float *out) {        \
    for (std::int64_t i = 0; i < count; i += STEP) {                           \
      const __m##BITS a = _mm##BITS##_loadu_ps(x + i);                         \
      [[maybe_unused]] const __m##BITS b = _mm##BITS##_loadu_ps(y + i);        \
      _mm##BITS##_storeu_ps(out + i, FUNCTION CALL);                           \
    }                                                                          \
  }
#define KEXPR_FUNCTION(NAME)                                                   \
  KEXPR_LOOP(sleef, NAME, 256, 8, "avx2,fma", Sleef_##NAME##f8_u10avx2,        \
             (__m256), (a))                                                    \
  KEXPR_LOOP(sleef, NAME, 512, 16, "avx512f", Sleef_##NAME##f16_u10avx512f,    \
             (__m512), (a))                                                    \
  KEXPR_LOOP(libmvec, NAME, 256, 8, "avx2,fma", _ZGVdN8v_##NAME##f, (__m256),  \
             (a))                                                              \
  KEXPR_LOOP(libmvec, NAME, 512, 16, "avx512f", _ZGVeN16v_##NAME##f, (__m512), \
             (a))
#define KEXPR_FUNCTION_2(NAME)                                                 \
  KEXPR_LOOP(sleef, NAME, 256, 8, "avx2,fma", Sleef_##NAME##f8_u10avx2,        \
             (__m256, __m256), (a, b))                                         \
  KEXPR_LOOP(sleef, NAME, 512, 16, "avx512f", Sleef_##NAME##f16_u10avx512f,    \
             (__m512, __m512), (a, b))                                         \
  KEXPR_LOOP(libmvec, NAME, 256, 8, "avx2,fma", _ZGVdN8vv_##NAME##f,           \
             (__m256, __m256), (a, b))                                         \
  KEXPR_LOOP(libmvec, NAME, 512, 16, "avx512f", _ZGVeN16vv_##NAME##f,          \
             (__m512, __m512), (a, b))

KEXPR_FUNCTION(exp)
KEXPR_FUNCTION(log)
KEXPR_FUNCTION(sin)
KEXPR_FUNCTION(cos)
KEXPR_FUNCTION(tanh)
KEXPR_FUNCTION(erf)
KEXPR_FUNCTION(expm1)
KEXPR_FUNCTION(log1p)
KEXPR_FUNCTION(log10)
KEXPR_FUNCTION(tan)
KEXPR_FUNCTION(asin)
KEXPR_FUNCTION(acos)
KEXPR_FUNCTION(atan)
KEXPR_FUNCTION(sinh)
KEXPR_FUNCTION(cosh)
KEXPR_FUNCTION(asinh)
KEXPR_FUNCTION(acosh)
KEXPR_FUNCTION(atanh)
KEXPR_FUNCTION_2(pow)
KEXPR_FUNCTION_2(atan2)

// 1 / (1 + e^-x), as one writes it over a library; up to 1.6 ulp.
[[gnu::target("avx2,fma")]] static void sigmoid_sleef_256(std::int64_t count,
                                                          const float *x,
                                                          const float *,
                                                          float *out) {
  const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1);
  for (std::int64_t i = 0; i < count; i += 8) {
    const __m256 a = _mm256_loadu_ps(x + i);
    const __m256 e = Sleef_expf8_u10avx2(_mm256_sub_ps(zero, a));
    _mm256_storeu_ps(out + i, _mm256_div_ps(one, _mm256_add_ps(one, e)));
  }
}
[[gnu::target("avx512f")]] static void sigmoid_sleef_512(std::int64_t count,
                                                         const float *x,
                                                         const float *,
                                                         float *out) {
  const __m512 zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1);
  for (std::int64_t i = 0; i < count; i += 16) {
    const __m512 a = _mm512_loadu_ps(x + i);
    const __m512 e = Sleef_expf16_u10avx512f(_mm512_sub_ps(zero, a));
    _mm512_storeu_ps(out + i, _mm512_div_ps(one, _mm512_add_ps(one, e)));
  }
}

#define KEXPR_ROW(NAME)                                                        \
  LibraryFunction {                                                            \
#NAME, {NAME##_sleef_256, NAME##_sleef_512 }, {                            \
      NAME##_libmvec_256, NAME##_libmvec_512                                   \
    }                                                                          \
  }

const std::vector<LibraryFunction> &kexpr::benchmarks::libraryFunctions() {
  static const std::vector<LibraryFunction> all = {
      KEXPR_ROW(exp),   KEXPR_ROW(log),
      KEXPR_ROW(sin),   KEXPR_ROW(cos),
      KEXPR_ROW(tanh),  {"sigmoid", {sigmoid_sleef_256, sigmoid_sleef_512}, {}},
      KEXPR_ROW(erf),   KEXPR_ROW(expm1),
      KEXPR_ROW(log1p), KEXPR_ROW(log10),
      KEXPR_ROW(tan),   KEXPR_ROW(asin),
      KEXPR_ROW(acos),  KEXPR_ROW(atan),
      KEXPR_ROW(sinh),  KEXPR_ROW(cosh),
      KEXPR_ROW(asinh), KEXPR_ROW(acosh),
      KEXPR_ROW(atanh), KEXPR_ROW(pow),
      KEXPR_ROW(atan2),
  };
  return all;
}
