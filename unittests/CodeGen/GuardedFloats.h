//===- GuardedFloats.h - Floats between pages that fault ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODEGEN_GUARDEDFLOATS_H
#define KEXPR_UNITTESTS_CODEGEN_GUARDEDFLOATS_H

#include "TestUtil/GuardedBytes.h"

namespace kexpr::test {

/// `count` floats in guarded memory.
class GuardedFloats {
public:
  using Edge = GuardedBytes::Edge;

  GuardedFloats(std::size_t count, Edge edge)
      : memory(count * sizeof(float), edge) {}

  float *data() { return reinterpret_cast<float *>(memory.data()); }
  float &operator[](std::size_t i) { return data()[i]; }

private:
  GuardedBytes memory;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODEGEN_GUARDEDFLOATS_H
