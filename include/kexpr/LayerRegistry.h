//===- kexpr/LayerRegistry.h - Who runs which operator ----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_LAYERREGISTRY_H
#define KEXPR_LAYERREGISTRY_H

#include "kexpr/Kernel.h"
#include "kexpr/PnnxModel.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr {
inline namespace v2 {

/// The element type and shape of a tensor.
struct TensorType {
  DType type = DType::F32;
  Shape shape;

  friend bool operator==(const TensorType &a, const TensorType &b) {
    return a.type == b.type && a.shape == b.shape;
  }
  friend bool operator!=(const TensorType &a, const TensorType &b) {
    return !(a == b);
  }
};

/// An operator that a host computes: derive one class for each type and add it
/// to a `LayerRegistry`. Each graph makes layers of its own, and calls one from
/// one thread at a time. What a layer or its creator throws stops the call of
/// the graph with an error, InvalidArgument, that says what it was;
/// `std::bad_alloc` is OutOfMemory.
class KEXPR_API Layer {
public:
  /// Keeps the operator's name and the types and shapes that the file says of
  /// its outputs. Keeps no reference to the model, though a graph's model lives
  /// as long as its layers. May throw `std::bad_alloc`, as a creator may.
  Layer(const PnnxModel &model, const PnnxOperator &op);
  Layer(const Layer &) = delete;
  Layer &operator=(const Layer &) = delete;
  virtual ~Layer();

  const std::string &name() const { return operatorName; }

  /// The types and shapes of all outputs for inputs of these. Called when
  /// shapes are planned, not in every run. Unless it is overridden, it returns
  /// what the file says of each output, and ShapeMismatch where that is not
  /// complete.
  virtual Expected<std::vector<TensorType>>
  outputTypes(Span<const TensorType> inputs) const;

  /// Writes all elements of `outputs`, which are row-major and share no memory
  /// with `inputs`. They are aligned to 64 bytes, unless they are tensors that
  /// the host gave to the run. Inputs of the graph have the strides that the
  /// host gave them; other inputs are row-major. An error stops the run.
  virtual Status forward(Span<const TensorView> inputs,
                         Span<const TensorView> outputs,
                         const RunOptions &options) = 0;

private:
  struct Declared {
    std::string operand;
    std::optional<DType> type;
    std::optional<Shape> shape;
  };
  std::string operatorName;
  std::vector<Declared> declared;
};

/// Makes the layer of an operator, or says what is wrong with its parameters.
using LayerCreator = std::function<Expected<std::unique_ptr<Layer>>(
    const PnnxModel &, const PnnxOperator &)>;

/// The types of operators that a graph may have, and who computes each: kexpr,
/// which merges elementwise ones, reductions, softmaxes and norms into kernels,
/// or a layer of the host. A plain
/// value; graphs keep no reference to it.
class KEXPR_API LayerRegistry {
public:
  /// Lets the host compute `type`, also one that kexpr did so far. Errors:
  /// InvalidArgument for an empty type, one that was added before for the host,
  /// a null creator, or a type that graphs compute themselves
  /// (`pnnx.Input`...).
  Status add(std::string type, LayerCreator creator);

  /// Lets kexpr compute `type`, or all of `elementwiseTypes()` but those that
  /// were added before: they stay as they are. Errors: those of `add`, and
  /// UnknownOperator for a type that kexpr does not know.
  Status addElementwise(std::string_view type);
  Status addElementwise();

  /// The types that kexpr can compute, sorted: `pnnx.Expression`, `F.relu`...
  /// This and `types` are empty if memory runs out.
  static std::vector<std::string_view> elementwiseTypes();

  bool contains(std::string_view type) const;
  bool isElementwise(std::string_view type) const;
  /// What was added, sorted.
  std::vector<std::string> types() const;

  /// The layer of an operator. Errors: UnknownOperator for a type that is not
  /// a host's, InvalidArgument if there is no layer, and those of its creator.
  Expected<std::unique_ptr<Layer>> create(const PnnxModel &model,
                                          const PnnxOperator &op) const;

private:
  std::map<std::string, LayerCreator, std::less<>> creators;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_LAYERREGISTRY_H
