//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Draft.h"

using namespace kexpr;
using namespace kexpr::graph;

std::string_view graph::roundingCast(DType type) {
  return type == DType::F16    ? "torch.half"
         : type == DType::BF16 ? "torch.bfloat16"
                               : "";
}

std::string_view graph::castName(DType type) {
  switch (type) {
  case DType::F32:
    return "torch.float";
  case DType::F64:
    return "torch.double";
  case DType::I32:
    return "torch.int";
  case DType::I64:
    return "torch.long";
  case DType::I16:
    return "torch.short";
  case DType::I8:
    return "torch.int8";
  case DType::U8:
    return "torch.uint8";
  case DType::Bool:
    return "torch.bool";
  default:
    return roundingCast(type);
  }
}
