//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Tally.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

void Tally::add(const Verdict &verdict, std::uint64_t index,
                std::span<const double> arguments) {
  ++walked;
  misrounded += !verdict.isNearest;
  wrongSigns += verdict.hasWrongSign;
  wrongSign.add(verdict.hasWrongSign, index, arguments);
  ulp.add(verdict.ulp, index, arguments);
  absolute.add(verdict.absolute, index, arguments);
  if (verdict.ulp < Steps.back())
    sum += verdict.ulp;
  std::size_t step = 0;
  while (verdict.ulp > Steps[step])
    ++step;
  ++counts[step];
}

void Tally::add(const Tally &other) {
  walked += other.walked;
  misrounded += other.misrounded;
  wrongSigns += other.wrongSigns;
  differing += other.differing;
  ulp.add(other.ulp);
  absolute.add(other.absolute);
  wrongSign.add(other.wrongSign);
  different.add(other.different);
  sum += other.sum;
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] += other.counts[i];
}

void Tally::add(const Scanned &scanned, std::uint64_t first,
                std::span<const float> inputs) {
  walked += scanned.count;
  sum += scanned.sum;
  counts[0] += scanned.count;
  auto note = [&](Largest &largest, const ScannedError &found) {
    const double argument = inputs[found.at];
    largest.add(found.error, first + found.at, {&argument, 1});
  };
  note(ulp, scanned.ulp);
  note(absolute, scanned.absolute);
}

double Tally::mean() const {
  const std::uint64_t finite = walked - counts.back();
  return finite ? sum / static_cast<double>(finite) : 0;
}
