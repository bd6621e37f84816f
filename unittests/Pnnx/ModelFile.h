//===- Pnnx/ModelFile.h - The networks of unittests/Data/pnnx -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Networks that PNNX wrote, with inputs and what PyTorch computes for them;
/// utils/pnnx_models.py made them and says what the files are.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_PNNX_MODELFILE_H
#define KEXPR_UNITTESTS_PNNX_MODELFILE_H

#include "Common/Array.h"
#include "kexpr/PnnxModel.h"

#include <ostream>
#include <string>
#include <vector>

namespace kexpr::test {

/// An output, and how far off a float may be: `units` in the last place, of the
/// exact one or of `floor`, whichever is larger.
struct ListedOutput {
  DType type;
  double units = 0;
  double floor = 0;
};

/// A line of models.json.
struct ListedModel {
  std::string name;
  bool isRaw = false;     ///< Whether there are files from before folding.
  bool isDynamic = false; ///< Whether there is a second set of arrays.
  bool isExact = false;   ///< Whether floats are expected in f64.
  std::vector<DType> inputs;
  std::vector<ListedOutput> outputs;

  /// The files that PNNX wrote, without what follows the stem.
  std::vector<std::string> stems() const;
  /// The arrays that there are: "name", and "name.other".
  std::vector<std::string> sets() const;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it.
inline void PrintTo(const ListedModel &model, std::ostream *out) {
  *out << model.name;
}

/// All of models.json.
const std::vector<ListedModel> &listedModels();

/// The network of a stem.
Expected<PnnxModel> loadListed(const std::string &stem);

/// Input or output number `index` ("in" or "out") of a set.
Expected<tools::Array> loadArray(const std::string &set, const char *kind,
                                 std::size_t index);

/// The view of an array; bf16 is i16 in files.
TensorView viewAs(DType type, const tools::Array &array);

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_PNNX_MODELFILE_H
