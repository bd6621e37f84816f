//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Dumper.h"

#include "Inspect/Names.h"
#include "Inspect/Render.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::runtime;
using semantics::Plan;

Expected<std::unique_ptr<Dumper>>
Dumper::open(const std::string &path, const codegen::TargetOptions &target) {
  auto directory = code::Directory::open(path);
  if (!directory)
    return directory.error();
  // What processes left that were killed long ago.
  (*directory)->removeDrafts(std::chrono::hours(1));
  return std::unique_ptr<Dumper>(new Dumper(std::move(*directory), target));
}

/// Whether a plan has all outputs of its expression.
static bool isWhole(const Plan &plan) {
  const Node &root = plan.source->expression.root();
  return root.kind != NodeKind::List ||
         root.children.size() == plan.outputs.size();
}

static std::string readmeOf(const Plan &plan, const codegen::Target &target,
                            const codegen::TargetOptions &options,
                            codegen::OptLevel level) {
  return concat(inspect::commandFor(plan, options, level), "\n\nfor ",
                target.cpu, ", ", target.triple, '\n',
                isWhole(plan) ? ""
                              : "\nThis loop computes some of the outputs; the "
                                "command shows that of all.\n");
}

Status Dumper::write(const Plan &plan, const codegen::Target &target,
                     codegen::OptLevel level) const {
  const std::string name = inspect::folderNameOf(plan, target, level);
  if (directory->has(name))
    return {};
  const Expression &expression = plan.source->expression;
  Plan listed = plan;
  if (!listed.listing)
    listed.listing =
        std::make_shared<const syntax::Listing>(syntax::list(expression));
  const inspect::Subject subject{
      expression, listed, level,
      [&]() -> Expected<codegen::Target> { return target; }};
  std::vector<code::NamedFile> files = {
      {"README", readmeOf(plan, target, options, level)},
      {"expression.txt", concat(expression.canonical(), '\n')}};
  Status fault;
  for (Stage stage : inspect::AllStages) {
    auto text = inspect::render(stage, subject);
    if (text)
      files.push_back(
          {std::string(inspect::fileNameOf(stage)), std::move(*text)});
    else
      fault = text.error();
  }
  auto status = directory->addFolder(name, files);
  return status ? fault : status;
}
