//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-ulp: measures the errors of operators and expressions.
//
//===----------------------------------------------------------------------===//
#include "Support/Quote.h"
#include "Support/Text.h"
#include "Common/Files.h"
#include "Ulp/Options.h"
#include "Ulp/Progress.h"
#include "Ulp/Records.h"
#include "Ulp/Report.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

static Status resume(Records &records, const Options &options) {
  for (const std::string &path : options.resume) {
    // The first run of one that is to be resumed.
    if (path == options.json && !std::filesystem::exists(path))
      continue;
    const auto text = readFile(path);
    if (!text)
      return text.error();
    if (auto status = records.addJson(*text); !status)
      return Error(status.error().code(),
                   concat("cannot resume from ", quote(path), ": ",
                          status.error().message()));
  }
  return {};
}

static Status checkFiles(const Options &options) {
  for (const std::string *path : {&options.json, &options.markdown})
    if (!path->empty())
      if (auto status = checkWritable(*path); !status)
        return status;
  return {};
}

/// Leaves only what there is no row of; false if that is nothing.
static bool leaveMissing(MeasureRequest &request, const Records &records) {
  auto isThere = [&](Precision precision) {
    return !request.widths.empty() &&
           std::all_of(request.widths.begin(), request.widths.end(),
                       [&](unsigned width) {
                         return records.has(request.op, request.type, precision,
                                            width);
                       });
  };
  std::erase_if(request.precisions, isThere);
  return !request.precisions.empty();
}

static Status saveRows(const Records &records, const Options &options) {
  if (options.json.empty())
    return {};
  return writeFile(options.json, records.json());
}

static Status measureOne(MeasureRequest request, const std::string &label,
                         Records &records, const Options &options) {
  if (request.type == DType::F64)
    request.precisions = {Precision::Default};
  if (!leaveMissing(request, records))
    return {};
  auto measured = [&] {
    const Progress progress(label);
    request.walk.progress = [&](double part) { progress.show(part); };
    return measure(request);
  }();
  if (!measured)
    return measured.error();
  printMeasured(std::cout, *measured);
  for (const Accuracy &accuracy : measured->kernels)
    records.add(accuracy);
  return saveRows(records, options);
}

/// The choices of the command line, or all there are.
static MeasureRequest requestOf(const Options &options, std::uint32_t step,
                                std::uint64_t count) {
  MeasureRequest request{.precisions = options.precisions,
                         .widths = options.widths,
                         .step = step,
                         .count = count,
                         .checkWidths = options.checkWidths,
                         .walk = {.threads = options.threads}};
  if (request.precisions.empty())
    request.precisions = {Precision::Default, Precision::Accurate};
  if (request.widths.empty())
    request.widths.assign(hostWidths().begin(), hostWidths().end());
  return request;
}

static Status measureAll(const std::vector<ops::OpId> &chosen,
                         MeasureRequest request, Records &records,
                         const Options &options) {
  auto types = options.types;
  if (types.empty())
    types = {DType::F32, DType::F64};
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (DType type : types) {
      request.op = chosen[i];
      request.type = type;
      const std::string label =
          concat('(', i + 1, " of ", chosen.size(), ") ",
                 ops::table()[request.op].info.name, ' ', nameOf(type));
      if (auto status = measureOne(request, label, records, options); !status)
        return status;
    }
  return {};
}

static void printSummary(std::ostream &out, const Records &records) {
  std::size_t faulty = 0;
  for (const Accuracy &row : records.rows())
    if (!row.isWithinBound()) {
      ++faulty;
      out << "not within its bound: " << ops::table()[row.op].info.name << ' '
          << nameOf(row.type) << ' ' << nameOf(row.precision) << ' '
          << row.width << '\n';
    }
  out << records.rows().size() << " kernels measured, "
      << records.rows().size() - faulty << " within their bounds\n";
}

static int runOperators(const Options &options) {
  const auto chosen = operatorsOf(options.names);
  if (!chosen)
    return report(chosen.error());
  const auto step = stepOf(options);
  if (!step)
    return report(step.error());
  const auto count = countOf(options);
  if (!count)
    return report(count.error());
  Records records(*step, *count);
  if (auto status = resume(records, options); !status)
    return report(status.error());
  if (auto status = checkFiles(options); !status)
    return report(status.error());
  if (auto status = measureAll(*chosen, requestOf(options, *step, *count),
                               records, options);
      !status)
    return report(status.error());
  // Also where nothing was left to measure: rows of several files join here.
  if (auto status = saveRows(records, options); !status)
    return report(status.error());
  if (!options.markdown.empty())
    if (auto status = writeFile(options.markdown, records.markdown()); !status)
      return report(status.error());
  printSummary(std::cout, records);
  return records.isWithinBounds() ? 0 : exitFault;
}

static Expected<Study> studyOf(const Options &options) {
  const auto count = countOf(options);
  if (!count)
    return count.error();
  StudyRequest request{.expression = expressionText(options.expression),
                       .widths = options.widths,
                       .count = *count,
                       .exhaustive = options.exhaustive,
                       .checkWidths = options.checkWidths,
                       .walk = {.threads = options.threads}};
  if (!options.types.empty())
    request.type = options.types.front();
  if (!options.precisions.empty())
    request.precisions = options.precisions;
  for (const std::string &range : options.ranges)
    if (auto status = addRange(range, request.ranges); !status)
      return status.error();
  const Progress progress("measuring");
  request.walk.progress = [&](double part) { progress.show(part); };
  return study(request);
}

static int runExpression(const Options &options) {
  if (options.types.size() > 1)
    return report(Error(ErrorCode::InvalidArgument,
                        "an expression is measured in one type at a time"));
  const auto found = studyOf(options);
  if (!found)
    return report(found.error());
  printStudy(std::cout, *found);
  return found->isConsistent() ? 0 : exitFault;
}

int main(int argc, char **argv) {
  CLI::App app("Measures the errors of operators and expressions through the "
               "compiled kernels.",
               "kexpr-ulp");
  Options options;
  addOptions(app, options);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  return app.count("--expr") ? runExpression(options) : runOperators(options);
}
