//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Render.h"
#include "Runtime/KernelImpl.h"

using namespace kexpr;
using namespace kexpr::runtime;

Expected<std::string> KernelImpl::dump(Stage stage) const {
  if (static_cast<std::size_t>(stage) >= StageCount)
    return Error(ErrorCode::InvalidArgument, "there is no such stage");
  if (inspect::isOfText(stage))
    return inspect::render(stage, text);
  const auto level = lastLevel(contiguousPlan, options.mode);
  if (inspect::isOfCode(stage) && !level)
    return Error(ErrorCode::Unsupported,
                 options.mode == Mode::Interpret
                     ? "a kernel of the mode 'interpret' has no code"
                     : "a kernel that is too long for code has none");
  semantics::Plan plan = contiguousPlan;
  if (!plan.listing)
    plan.listing = std::make_shared<const syntax::Listing>(syntax::list(text));
  const auto targetOf = [this]() -> Expected<codegen::Target> {
    const auto target = compiler->target();
    if (!target)
      return target.error();
    return **target;
  };
  const Mode mode =
      inspect::isOfCode(stage) ? Mode::Optimized : Mode::Interpret;
  return compiler->withStack(mode, [&] {
    return inspect::render(
        stage, {text, plan, level.value_or(levelOf(options.mode)), targetOf});
  });
}
