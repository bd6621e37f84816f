//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs that begin as an archive does are the sample's constants, others the
// text of a model that has the sample's.
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Tally.h"
#include "TestUtil/Models.h"

using namespace kexpr;
using namespace kexpr::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const std::string bin = test::sampleBin(true);
  static Tally tally;
  const std::string_view input(reinterpret_cast<const char *>(data), size);
  const auto model = input.starts_with("PK")
                         ? test::parseModel(test::SampleParam, input)
                         : test::parseModel(input, bin);
  tally.add({static_cast<bool>(model), test::problemOf(model)});
  return 0;
}
