//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/ParamReader.h"
#include "Pnnx/Weights.h"
#include "Support/Guarded.h"
#include "Support/SystemText.h"
#include "Support/Text.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

using namespace kexpr;
using namespace kexpr::pnnx;

struct PnnxModel::Data {
  Network network;
  Weights weights;

  /// `load` reads the weights of the network that the text describes.
  template <class F>
  static Expected<PnnxModel> make(std::string_view text, std::string_view name,
                                  F load);
};

const std::string *PnnxOperator::parameter(std::string_view key) const {
  for (const PnnxParameter &candidate : parameters)
    if (candidate.key == key)
      return &candidate.text;
  return nullptr;
}

const TensorView *PnnxOperator::attribute(std::string_view key) const {
  for (const PnnxAttribute &candidate : attributes)
    if (candidate.key == key)
      return &candidate.tensor;
  return nullptr;
}

/// Pipes and devices may have no end, so only regular files are read.
static Status checkFile(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error))
    return {};
  return Error(ErrorCode::Io,
               path + ": " + (error ? error.message() : "no regular file"));
}

static Expected<std::string> readFile(const std::string &path) {
  if (auto status = checkFile(path); !status)
    return status.error();
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : 0;
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!file.seekg(0).read(text.data(), size))
    return Error(ErrorCode::Io, concat(path, ": ", errorText(errno)));
  return text;
}

/// The weights of a model without a `.bin` file, which must have no attributes.
static Expected<Weights> noWeights(const Network &network,
                                   std::string_view name) {
  for (const PnnxOperator &op : network.operators)
    for (const PnnxAttribute &attribute : op.attributes)
      if (!attribute.tensor.empty())
        return Error(ErrorCode::InvalidSyntax,
                     concat("line ", op.line, " of ", name, ": entry ",
                            quote(concat(op.name, '.', attribute.key)),
                            " is needed, but there is no .bin file"));
  return Weights();
}

template <class F>
Expected<PnnxModel> PnnxModel::Data::make(std::string_view text,
                                          std::string_view name, F load) {
  auto network = readParam(text, name);
  if (!network)
    return network.error();
  auto model = std::make_shared<Data>();
  model->network = std::move(*network);
  Expected<Weights> weights = load(model->network);
  if (!weights)
    return weights.error();
  model->weights = std::move(*weights);
  return PnnxModel(std::move(model));
}

Expected<PnnxModel> PnnxModel::load(const std::string &paramPath,
                                    const std::string &binPath) {
  return guarded([&]() -> Expected<PnnxModel> {
    auto text = readFile(paramPath);
    if (!text)
      return text.error();
    return Data::make(*text, paramPath, [&](Network &network) {
      if (binPath.empty())
        return noWeights(network, paramPath);
      Status status = checkFile(binPath);
      return status ? loadWeights(network, binPath)
                    : Expected<Weights>(status.error());
    });
  });
}

Expected<PnnxModel> PnnxModel::parse(std::string_view param,
                                     Span<const unsigned char> bin,
                                     std::string_view name) {
  return guarded([&] {
    return Data::make(param, name, [&](Network &network) {
      return bin.empty() ? noWeights(network, name)
                         : loadWeights(network, bin, name);
    });
  });
}

Span<const PnnxOperator> PnnxModel::operators() const {
  return data->network.operators;
}

Span<const PnnxOperand> PnnxModel::operands() const {
  return data->network.operands;
}

Span<const std::uint32_t> PnnxModel::order() const {
  return data->network.order;
}
