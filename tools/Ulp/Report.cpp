//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Report.h"

#include "Support/Text.h"
#include "Ulp/Text.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

using namespace kexpr;
using namespace kexpr::tools;

/// What is wrong with a kernel; empty if nothing is.
static std::string faultsOf(const Accuracy &row) {
  std::string text;
  if (!(row.worst <= row.bound))
    text += "  ABOVE ITS BOUND";
  if (row.wrongSigns)
    text += concat("  ", row.wrongSigns, " ZEROS OF THE WRONG SIGN, as at ",
                   hexText(row.wrongSignAt));
  if (row.differing)
    text += concat("  ", row.differing, " UNLIKE THE INTERPRETER, as at ",
                   hexText(row.differingAt));
  return text;
}

static std::string_view precisionText(const Accuracy &row) {
  return row.type == DType::F64 ? "-" : nameOf(row.precision);
}

static void printKernels(std::ostream &out, const Measured &measured) {
  auto cells = [&out](std::string_view type, std::string_view precision,
                      auto width, auto bound, const std::string &worst,
                      const std::string &misrounded, auto walked) {
    out << "  " << std::left << std::setw(6) << type << std::setw(11)
        << precision << std::right << std::setw(5) << width << std::setw(7)
        << bound << std::setw(11) << worst << std::setw(24) << misrounded
        << std::setw(12) << walked << "  ";
  };
  cells("type", "precision", "width", "bound", "worst", "not nearest",
        "inputs");
  out << "at\n";
  for (const Accuracy &row : measured.kernels) {
    cells(nameOf(row.type), precisionText(row), row.width, row.bound,
          ulpText(row.worst),
          concat(row.misrounded, " (", shareText(row.misrounded, row.walked),
                 ")"),
          row.walked);
    out << hexText(row.arguments) << faultsOf(row) << '\n';
  }
}

/// The precisions of the kernels, each once.
static std::vector<std::string_view> precisionsOf(const Measured &measured) {
  std::vector<std::string_view> names;
  for (const Accuracy &row : measured.kernels)
    if (names.empty() || names.back() != precisionText(row))
      names.push_back(precisionText(row));
  return names;
}

static void printSpecials(std::ostream &out, const Measured &measured) {
  const std::size_t column = 25;
  auto cell = [column](std::string text) {
    text.resize(std::max(text.size(), column), ' ');
    return text;
  };
  auto print = [&out](std::string line) {
    out << line.erase(line.find_last_not_of(' ') + 1) << '\n';
  };
  std::string header = "  " + cell("special number") + cell("reference");
  for (std::string_view name : precisionsOf(measured))
    header += concat(' ', cell(name == "-" ? "kernel" : std::string(name)));
  print(header);
  for (const SpecialCase &special : measured.specials) {
    std::string line = "  " + cell(hexText(special.argument)) +
                       cell(hexText(special.expected));
    for (double got : special.got)
      line +=
          (isOtherKind(got, special.expected) ? '*' : ' ') + cell(hexText(got));
    print(line);
  }
}

void tools::printMeasured(std::ostream &out, const Measured &measured) {
  const Accuracy &first = measured.kernels.front();
  const ops::OpInfo &info = ops::table()[first.op].info;
  out << info.name << ": " << info.doc << '\n';
  printKernels(out, measured);
  if (!measured.specials.empty())
    printSpecials(out, measured);
  out << std::endl;
}

static void printHistogram(std::ostream &out, const Tally &tally) {
  constexpr double full = 40;
  for (std::size_t i = 0; i < Tally::Steps.size(); ++i) {
    const double step = Tally::Steps[i];
    if (tally.counts[i] == 0)
      continue;
    const double share = static_cast<double>(tally.counts[i]) /
                         static_cast<double>(tally.walked);
    const std::string label = std::isinf(step) ? "infinite"
                              : step > Tally::Steps[i - (i > 0)] * 1e9
                                  ? "more"
                                  : concat("<= ", step);
    out << "    " << std::left << std::setw(10) << label << std::right
        << std::setw(12) << tally.counts[i] << std::setw(10)
        << shareText(tally.counts[i], tally.walked) << "  "
        << std::string(static_cast<std::size_t>(std::ceil(share * full)), '#')
        << '\n';
  }
}

/// " at @0 = 0x1p+0, @1 = 0x1.8p+1"; empty where there is no error.
static std::string placeText(const Largest &largest) {
  std::string text;
  for (std::size_t k = 0; k < largest.arguments.size(); ++k)
    text +=
        concat(k ? ", @" : " at @", k, " = ", hexText(largest.arguments[k]));
  return text;
}

static void printTally(std::ostream &out, const Tally &tally) {
  out << "  worst     " << ulpText(tally.ulp.error) << " ulp"
      << placeText(tally.ulp) << "\n  absolute  " << tally.absolute.error
      << placeText(tally.absolute) << "\n  mean      " << tally.mean()
      << " ulp\n  not nearest " << tally.misrounded << " of " << tally.walked
      << " (" << shareText(tally.misrounded, tally.walked) << ")\n";
  if (tally.wrongSigns)
    out << "  zeros of the wrong sign " << tally.wrongSigns << ", as"
        << placeText(tally.wrongSign) << '\n';
  out << "  errors in ulp\n";
  printHistogram(out, tally);
}

static std::string listText(const std::vector<unsigned> &numbers) {
  std::string text;
  for (unsigned number : numbers)
    text += concat(text.empty() ? "" : ", ", number);
  return text;
}

static void printWidths(std::ostream &out, const KernelSet &set,
                        const std::vector<Tally> &tallies) {
  std::uint64_t differing = 0;
  for (std::size_t k = 0; k < tallies.size(); ++k) {
    differing += tallies[k].differing;
    if (tallies[k].differing)
      out << "  width " << set.widths[k] << ": " << tallies[k].differing
          << " UNLIKE THE INTERPRETER, as" << placeText(tallies[k].different)
          << '\n';
  }
  if (differing == 0 && set.interpreter)
    out << "  widths " << listText(set.widths)
        << " and the interpreter gave the same bits\n";
}

void tools::printStudy(std::ostream &out, const Study &study) {
  for (std::size_t s = 0; s < study.sets.size(); ++s)
    for (std::size_t o = 0; o < study.outputs; ++o) {
      out << study.text << ", " << nameOf(study.type);
      if (study.type == DType::F32)
        out << ' ' << nameOf(study.sets[s].precision);
      if (study.outputs > 1)
        out << ", output " << o;
      out << '\n';
      printTally(out, study.tallies[s][o].back());
      printWidths(out, study.sets[s], study.tallies[s][o]);
      out << '\n';
    }
}
