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
  if (inspect::isOfCode(stage) && options.mode == Mode::Interpret)
    return Error(ErrorCode::Unsupported,
                 "a kernel of the mode 'interpret' has no code");
  semantics::Plan plan = contiguousPlan;
  if (!plan.listing)
    plan.listing = std::make_shared<const syntax::Listing>(syntax::list(text));
  return inspect::render(stage, {text, plan, levelOf(options.mode),
                                 [this]() -> Expected<codegen::Target> {
                                   const auto target = compiler->target();
                                   if (!target)
                                     return target.error();
                                   return **target;
                                 }});
}
