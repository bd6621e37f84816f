//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/PlainLoops.h"

#if defined(KEXPR_HAS_EIGEN)
#include <Eigen/Core>
#endif

using namespace kexpr;
using namespace kexpr::tools;

#if defined(KEXPR_HAS_EIGEN)
using In = Eigen::Map<const Eigen::ArrayXf>;
using Out = Eigen::Map<Eigen::ArrayXf>;

static void e1(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = In(in[0], n) + In(in[1], n);
}

static void e2(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = In(in[0], n) * In(in[1], n) + In(in[2], n);
}

static void e3(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n);
  Out(out, n) = a * a.logistic();
}

static void e4(std::int64_t n, float *out, const float *const *in) {
  Out(out, n) = ((In(in[0], n) * 2 + In(in[1], n)) * (1.0f / 12)).sqrt();
}

static void e5(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n), b(in[1], n), c(in[2], n), d(in[3], n), e(in[4], n),
      f(in[5], n);
  Out(out, n) = a * b + c * (a + c + d + e) + f;
}

static void e6(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n);
  const auto inner = (a + a * a * a * 0.044715f) * 0.79788456f;
  Out(out, n) = a * 0.5f * (inner.tanh() + 1);
}

static void e7(std::int64_t n, float *out, const float *const *in) {
  const In a(in[0], n), b(in[1], n);
  Out(out, n) = a.sin() + b.cos() * (-(a * a)).exp();
}

#define KEXPR_TEXT_OF(x) #x
#define KEXPR_TEXT(x) KEXPR_TEXT_OF(x)
#if defined(__clang__)
#define KEXPR_COMPILER __VERSION__
#else
#define KEXPR_COMPILER "GCC " __VERSION__
#endif
#define KEXPR_EIGEN_VERSION                                                    \
  "Eigen " KEXPR_TEXT(EIGEN_WORLD_VERSION) "." KEXPR_TEXT(                     \
      EIGEN_MAJOR_VERSION) "." KEXPR_TEXT(EIGEN_MINOR_VERSION)

const PlainLoops *tools::eigenLoops() {
  static constexpr PlainLoops loops = {
      "eigen",
      KEXPR_EIGEN_VERSION ", " KEXPR_COMPILER " " KEXPR_PLAIN_FLAGS,
      {e1, e2, e3, e4, e5, e6, e7}};
  return &loops;
}
#else
const PlainLoops *tools::eigenLoops() { return nullptr; }
#endif
