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

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/IRPrintingPasses.h>
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

/// Adds a printer after every pass of a name.
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

/// The one element of "float 1.0, float 1.0"; empty if there is no such thing.
static llvm::StringRef onlyElement(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 64> elements;
  list.split(elements, ", ");
  // A type, which is `4 x float`, holds no comma.
  return elements.size() > 1 && llvm::all_equal(elements) ? elements[0]
                                                          : llvm::StringRef();
}

std::string codegen::shortenSplats(const std::string &text) {
  std::string result;
  llvm::StringRef rest = text;
  for (std::size_t open = rest.find('<'); open != rest.npos;
       open = rest.find('<')) {
    const std::size_t close = rest.find('>', open);
    if (close == rest.npos)
      break;
    const auto element = onlyElement(rest.slice(open + 1, close));
    result += rest.take_front(open);
    result += element.empty() ? rest.slice(open, close + 1).str()
                              : "splat (" + element.str() + ')';
    rest = rest.drop_front(close + 1);
  }
  return result + rest.str();
}

/// Output of passes, run over the kernel of a plan, which
/// `add(manager, machine, stream)` adds and which write to the stream. Names of
/// values say where code comes from, so source locations are left out.
template <class Add>
static Expected<std::string> runOver(const semantics::Plan &plan,
                                     const Target &target, OptLevel level,
                                     Add add) {
  auto machine = makeTargetMachine(target, level);
  if (!machine)
    return machine.error();
  semantics::Plan bare = plan;
  bare.listing = nullptr;
  llvm::LLVMContext context;
  auto module = emitKernel(context, bare, target, level).module;
  module->setDataLayout((*machine)->createDataLayout());
  llvm::legacy::PassManager passes;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (Status status =
          add(passes, static_cast<PassMachine &>(**machine), stream);
      !status)
    return status.error();
  passes.run(*module);
  return text;
}

Expected<std::string> codegen::dumpIr(const semantics::Plan &plan,
                                      const Target &target, OptLevel level,
                                      bool isSelected) {
  auto text = runOver(plan, target, level,
                      [&](PassManagerBase &passes, PassMachine &machine,
                          llvm::raw_ostream &stream) -> Status {
                        IrPasses first(passes);
                        if (isSelected && !addKernelPasses(machine, first))
                          return hasNoPasses(target);
                        passes.add(llvm::createPrintModulePass(stream));
                        return {};
                      });
  return text ? shortenSplats(*text) : text;
}

Expected<std::string> codegen::dumpMachine(const semantics::Plan &plan,
                                           const Target &target,
                                           OptLevel level) {
  auto text = runOver(plan, target, level,
                      [&](PassManagerBase &passes, PassMachine &machine,
                          llvm::raw_ostream &stream) -> Status {
                        if (!addKernelPasses(machine, passes))
                          return hasNoPasses(target);
                        passes.add(llvm::createPrintMIRPass(stream));
                        passes.add(llvm::createFreeMachineFunctionPass());
                        return {};
                      });
  // LLVM prints the labels of CFI instructions, which have no names, and reads
  // none.
  constexpr std::string_view label = "<mcsymbol >";
  for (std::size_t at; text && (at = text->find(label)) != std::string::npos;)
    text->erase(at, label.size());
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
  return runOver(plan, target, level,
                 [&](PassManagerBase &passes, PassMachine &machine,
                     llvm::raw_ostream &stream) -> Status {
                   PrintingPasses printing(passes, pass, stream);
                   if (!addKernelPasses(machine, printing))
                     return hasNoPasses(target);
                   if (!printing.isFound)
                     return unknownPass(pass, printing.names);
                   passes.add(llvm::createFreeMachineFunctionPass());
                   return {};
                 });
}
