//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/ModelFile.h"

#include "Common/Npy.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace kexpr;
using namespace kexpr::test;

static const std::string folder = KEXPR_PNNX_DATA "/";

static DType typeNamed(const nlohmann::json &name) {
  return *parseDType(name.get<std::string>());
}

static ListedModel read(const nlohmann::json &line) {
  ListedModel model{.name = line["name"],
                    .isRaw = line["raw"],
                    .isDynamic = line["dynamic"],
                    .isExact = line["exact"],
                    .inputs = {},
                    .outputs = {}};
  for (const auto &type : line["inputs"])
    model.inputs.push_back(typeNamed(type));
  for (const auto &output : line["outputs"])
    model.outputs.push_back({typeNamed(output["type"]),
                             output.value("units", 0.0),
                             output.value("floor", 0.0)});
  return model;
}

const std::vector<ListedModel> &test::listedModels() {
  static const std::vector<ListedModel> models = [] {
    std::vector<ListedModel> result;
    std::ifstream file(folder + "models.json");
    const auto page = nlohmann::json::parse(file);
    for (const auto &line : page["models"])
      result.push_back(read(line));
    return result;
  }();
  return models;
}

std::vector<std::string> ListedModel::stems() const {
  return isRaw ? std::vector<std::string>{name, name + ".raw"}
               : std::vector<std::string>{name};
}

std::vector<std::string> ListedModel::sets() const {
  return isDynamic ? std::vector<std::string>{name, name + ".other"}
                   : std::vector<std::string>{name};
}

Expected<PnnxModel> test::loadListed(const std::string &stem) {
  return PnnxModel::load(folder + stem + ".pnnx.param",
                         folder + stem + ".pnnx.bin");
}

Expected<tools::Array> test::loadArray(const std::string &set, const char *kind,
                                       std::size_t index) {
  return tools::readNpy(folder + set + '.' + kind + std::to_string(index) +
                        ".npy");
}

TensorView test::viewAs(DType type, const tools::Array &array) {
  return {array.data(), type, array.shape(), array.strides()};
}
