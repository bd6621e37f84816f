//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FileTests/CheckLines.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/FileCheck/FileCheck.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

using namespace kexpr;

static void append(const llvm::SMDiagnostic &diagnostic, void *problems) {
  llvm::raw_string_ostream stream(*static_cast<std::string *>(problems));
  diagnostic.print(nullptr, stream, /*ShowColors=*/false);
}

namespace {
/// A text with its blanks made one, where diagnostics can point into it.
class Source {
public:
  Source(llvm::FileCheck &checker, llvm::SourceMgr &sources,
         const std::string &text, const char *name) {
    auto original = llvm::MemoryBuffer::getMemBuffer(text, name);
    canonical = checker.CanonicalizeFile(*original, storage);
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(canonical, name), llvm::SMLoc());
  }
  llvm::StringRef text() const { return canonical; }

private:
  llvm::SmallString<4096> storage;
  llvm::StringRef canonical;
};
} // namespace

std::string filetests::checkLines(const std::string &input,
                                  const std::string &checks) {
  llvm::FileCheckRequest request;
  request.CheckPrefixes = {"CHECK"};
  request.CommentPrefixes = {"COM"};
  llvm::FileCheck checker(request);
  std::string problems;
  llvm::SourceMgr sources;
  sources.setDiagHandler(append, &problems);
  const Source wanted(checker, sources, checks, "checks");
  const Source given(checker, sources, input, "output");
  if (checker.readCheckFile(sources, wanted.text()) ||
      !checker.checkInput(sources, given.text()))
    return problems.empty() ? "FileCheck failed" : problems;
  return {};
}
