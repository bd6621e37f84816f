//===- newest/Status.h - Errors as codes ------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_NEWEST_STATUS_H
#define KEXPR_KUIPERINFER_NEWEST_STATUS_H

#include "../Forward.h"

namespace kexpr::kuiper {

using kuiper_infer::StatusCode;

constexpr bool isSame(Newest ours, StatusCode theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(isSame(Newest::UnknownCode, StatusCode::kUnknownCode));
static_assert(isSame(Newest::InferInputsEmpty, StatusCode::kInferInputsEmpty));
static_assert(isSame(Newest::InferOutputsEmpty,
                     StatusCode::kInferOutputsEmpty));
static_assert(isSame(Newest::InferParameterError,
                     StatusCode::kInferParameterError));
static_assert(isSame(Newest::InferDimMismatch, StatusCode::kInferDimMismatch));
static_assert(isSame(Newest::ParseParameterError,
                     StatusCode::kParseParameterError));
static_assert(isSame(Newest::ParseNullOperator,
                     StatusCode::kParseNullOperator));

/// Success, or the code of an error, which is logged.
inline StatusCode codeOf(const char *layer,
                         const Expected<void, LayerError> &done) {
  if (done)
    return StatusCode::kSuccess;
  LOG(ERROR) << layer << " layer: " << done.error().render();
  return static_cast<StatusCode>(rowOf(done.error().status()).newest);
}

/// What a layer with an output for each input looks at first, as in the
/// framework.
inline StatusCode checkLists(const char *layer, const Tensors &inputs,
                             const Tensors &outputs) {
  const auto refuse = [layer](StatusCode code, const char *why) {
    LOG(ERROR) << layer << " layer: " << why;
    return code;
  };
  if (inputs.empty())
    return refuse(StatusCode::kInferInputsEmpty, "no inputs");
  if (outputs.empty())
    return refuse(StatusCode::kInferOutputsEmpty, "no outputs");
  if (inputs.size() != outputs.size())
    return refuse(StatusCode::kInferDimMismatch,
                  "as many outputs as inputs are needed");
  for (const auto &input : inputs)
    if (!input || input->empty())
      return refuse(StatusCode::kInferInputsEmpty, "an input is empty");
  return StatusCode::kSuccess;
}

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_NEWEST_STATUS_H
