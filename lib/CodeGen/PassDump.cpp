//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/PassDump.h"

#include "CodeGen/KernelEmitter.h"
#include "CodeGen/KernelPasses.h"
#include "CodeGen/TargetMachine.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Pass.h>
#include <llvm/PassInfo.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

using namespace kexpr;
using namespace kexpr::codegen;

using PassManagerBase = llvm::legacy::PassManagerBase;

/// The name that a pass is registered under; empty if it is under none.
static std::string registeredName(const llvm::Pass &pass) {
  const auto *info = llvm::Pass::lookupPassInfo(pass.getPassID());
  return info ? info->getPassArgument().str() : std::string();
}

/// Whether a pass can change anything: others only hold or find out things.
static bool isTransform(llvm::Pass &pass) {
  const auto *info = llvm::Pass::lookupPassInfo(pass.getPassID());
  return !pass.getAsImmutablePass() && !(info && info->isAnalysis());
}

/// Whether a pass works on machine functions: those need what holds them.
static bool isOfMachine(const llvm::Pass &pass) {
  llvm::AnalysisUsage usage;
  pass.getAnalysisUsage(usage);
  const auto &required = usage.getRequiredSet();
  return std::find(required.begin(), required.end(),
                   &llvm::MachineModuleInfoWrapperPass::ID) != required.end();
}

namespace {

/// Hands on the passes that come before instruction selection.
class IrPasses : public PassManagerBase {
public:
  explicit IrPasses(PassManagerBase &manager) : manager(manager) {}
  void add(llvm::Pass *pass) override {
    isOver = isOver || isOfMachine(*pass);
    if (isOver)
      delete pass;
    else
      manager.add(pass);
  }

private:
  PassManagerBase &manager;
  bool isOver = false;
};

/// Puts a printer behind every pass of a name.
class PrintingPasses : public PassManagerBase {
public:
  PrintingPasses(PassManagerBase &manager, std::string_view wanted,
                 llvm::raw_ostream &out)
      : manager(manager), wanted(wanted), out(out) {}
  void add(llvm::Pass *pass) override;

  bool isFound = false;
  /// Of all passes that can be asked for, each once, in their order.
  std::vector<std::string> names;

private:
  PassManagerBase &manager;
  const std::string_view wanted;
  llvm::raw_ostream &out;
};

} // namespace

void PrintingPasses::add(llvm::Pass *pass) {
  if (!isTransform(*pass)) {
    manager.add(pass);
    return;
  }
  const std::string printed = pass->getPassName().str();
  const std::string registered = registeredName(*pass);
  const std::string &name = registered.empty() ? printed : registered;
  if (std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
  llvm::Pass *printer = nullptr;
  if (wanted == "all" || wanted == printed || wanted == registered)
    printer = pass->createPrinterPass(
        out, concat("*** After ", printed,
                    registered.empty() ? "" : " (" + registered + ")", " ***"));
  manager.add(pass);
  if (printer) {
    isFound = true;
    manager.add(printer);
  }
}

static Error hasNoPasses(const Target &target) {
  return {ErrorCode::CompileFailed,
          concat("LLVM has no machine code emission for ", target.triple)};
}

/// Runs the passes that `add(manager, target machine)` adds over the kernel of
/// a plan, then `finish` over what came of it. Names of values say where code
/// comes from, so places are left out.
template <class Add, class Finish>
static Status runOver(const semantics::Plan &plan, const Target &target,
                      OptLevel level, Add add, Finish finish) {
  auto machine = makeTargetMachine(target, level);
  if (!machine)
    return machine.error();
  semantics::Plan bare = plan;
  bare.listing = nullptr;
  llvm::LLVMContext context;
  auto module = emitKernel(context, bare, target, level);
  module->setDataLayout((*machine)->createDataLayout());
  llvm::legacy::PassManager passes;
  if (Status status =
          add(passes, static_cast<llvm::LLVMTargetMachine &>(**machine));
      !status)
    return status;
  passes.run(*module);
  finish(*module);
  return {};
}

/// The IR after the passes that `add` adds.
template <class Add>
static Expected<std::string> irAfter(const semantics::Plan &plan,
                                     const Target &target, OptLevel level,
                                     Add add) {
  std::string text;
  auto status =
      runOver(plan, target, level, add, [&text](const llvm::Module &module) {
        llvm::raw_string_ostream stream(text);
        module.print(stream, nullptr);
      });
  if (!status)
    return status.error();
  return text;
}

Expected<std::string> codegen::dumpEmitted(const semantics::Plan &plan,
                                           const Target &target,
                                           OptLevel level) {
  return irAfter(
      plan, target, level,
      [](PassManagerBase &, llvm::LLVMTargetMachine &) { return Status(); });
}

Expected<std::string> codegen::dumpSelected(const semantics::Plan &plan,
                                            const Target &target,
                                            OptLevel level) {
  return irAfter(
      plan, target, level,
      [&](PassManagerBase &passes, llvm::LLVMTargetMachine &machine) -> Status {
        IrPasses first(passes);
        return addKernelPasses(machine, first) ? Status() : hasNoPasses(target);
      });
}

Expected<std::string> codegen::dumpMachine(const semantics::Plan &plan,
                                           const Target &target,
                                           OptLevel level) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto status = runOver(
      plan, target, level,
      [&](PassManagerBase &passes, llvm::LLVMTargetMachine &machine) -> Status {
        if (!addKernelPasses(machine, passes))
          return hasNoPasses(target);
        passes.add(llvm::createPrintMIRPass(stream));
        passes.add(llvm::createFreeMachineFunctionPass());
        return {};
      },
      [](const llvm::Module &) {});
  if (!status)
    return status.error();
  return text;
}

static Error unknownPass(std::string_view wanted,
                         const std::vector<std::string> &names) {
  std::string text = concat("no pass ", quote(wanted), "; there are all");
  for (const std::string &name : names)
    text += ", " + name;
  return {ErrorCode::InvalidArgument, text};
}

Expected<std::string> codegen::dumpAfter(const semantics::Plan &plan,
                                         const Target &target, OptLevel level,
                                         std::string_view pass) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto status = runOver(
      plan, target, level,
      [&](PassManagerBase &passes, llvm::LLVMTargetMachine &machine) -> Status {
        PrintingPasses printing(passes, pass, stream);
        if (!addKernelPasses(machine, printing))
          return hasNoPasses(target);
        if (!printing.isFound)
          return unknownPass(pass, printing.names);
        passes.add(llvm::createFreeMachineFunctionPass());
        return {};
      },
      [](const llvm::Module &) {});
  if (!status)
    return status.error();
  return text;
}
