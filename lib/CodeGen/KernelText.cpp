//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/KernelText.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

using namespace kexpr;
using namespace kexpr::codegen;

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
