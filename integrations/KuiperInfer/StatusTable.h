//===- KuiperInfer/StatusTable.h - A layer's statuses as codes --*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_STATUSTABLE_H
#define KEXPR_KUIPERINFER_STATUSTABLE_H

#include <kexpr/PnnxLayer.h>

namespace kexpr::kuiper {

/// `StatusCode` of the newest version, as far as an expression layer gives it.
/// Numbers are the framework's; its own headers are held against them where a
/// layer is compiled.
enum class Newest {
  UnknownCode = -1,
  InferInputsEmpty = 1,
  InferOutputsEmpty = 2,
  InferParameterError = 3,
  InferDimMismatch = 4,
  ParseParameterError = 7,
  ParseNullOperator = 8,
};

/// `InferStatus` of the course version.
enum class Course {
  Unknown = -1,
  InputEmpty = 1,
  InputOutSizeMatchError = 6,
  OutputSizeError = 7,
  ShapeParameterError = 9,
  OutputEmpty = 11,
};

/// The codes for one status of a layer.
struct StatusRow {
  LayerStatus status;
  Newest newest;
  Course course;
};

/// A row for each status, in the order of their values.
inline constexpr StatusRow statusTable[] = {
    {LayerStatus::NullOperator, Newest::ParseNullOperator, Course::Unknown},
    {LayerStatus::MissingExpression, Newest::ParseParameterError,
     Course::Unknown},
    {LayerStatus::NullExpression, Newest::ParseParameterError, Course::Unknown},
    {LayerStatus::ExpressionNotText, Newest::ParseParameterError,
     Course::Unknown},
    {LayerStatus::EmptyExpression, Newest::ParseParameterError,
     Course::Unknown},
    {LayerStatus::MalformedExpression, Newest::ParseParameterError,
     Course::Unknown},
    {LayerStatus::UnsupportedExpression, Newest::ParseParameterError,
     Course::Unknown},
    {LayerStatus::CompileFailed, Newest::UnknownCode, Course::Unknown},
    {LayerStatus::NoInputs, Newest::InferInputsEmpty, Course::InputEmpty},
    {LayerStatus::NoOutputs, Newest::InferOutputsEmpty, Course::OutputEmpty},
    {LayerStatus::TooFewTensors, Newest::InferParameterError,
     Course::InputOutSizeMatchError},
    {LayerStatus::SurplusTensors, Newest::InferParameterError,
     Course::InputOutSizeMatchError},
    {LayerStatus::EmptyInput, Newest::InferInputsEmpty, Course::InputEmpty},
    {LayerStatus::InvalidTensor, Newest::InferParameterError, Course::Unknown},
    {LayerStatus::TypeMismatch, Newest::InferParameterError, Course::Unknown},
    {LayerStatus::InputMismatch, Newest::InferDimMismatch,
     Course::ShapeParameterError},
    {LayerStatus::OutputMismatch, Newest::InferDimMismatch,
     Course::OutputSizeError},
    {LayerStatus::EmptyOutput, Newest::InferOutputsEmpty, Course::OutputEmpty},
    {LayerStatus::AllocationFailed, Newest::InferOutputsEmpty,
     Course::OutputEmpty},
    {LayerStatus::OverlappingOutput, Newest::InferParameterError,
     Course::Unknown},
    {LayerStatus::OutOfMemory, Newest::UnknownCode, Course::Unknown},
};

constexpr const StatusRow &rowOf(LayerStatus status) {
  return statusTable[static_cast<std::size_t>(status)];
}

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_STATUSTABLE_H
