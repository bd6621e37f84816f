//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random networks give the same bits whatever merges, wherever values lie.
//
//===----------------------------------------------------------------------===//
#include "Pnnx/GraphSupport.h"
#include "Pnnx/RandomGraph.h"

#include <cmath>
#include <list>
#include <sstream>

using namespace kexpr;
using namespace kexpr::test;

namespace {
struct Memory {
  std::vector<unsigned char> bytes;
  TensorView view;
};

struct RunVariant {
  bool fuse, reuseMemory;
};

class GraphRandom : public GraphTest {
protected:
  /// The bytes of all outputs after each of two runs on different numbers; an
  /// error's message instead of what was refused.
  std::vector<std::string> resultsOf(const RandomGraph &random,
                                     const PnnxModel &model,
                                     const RunVariant &variant);

  std::size_t valid = 0, kernels = 0, operators = 0, reused = 0;
};
} // namespace

/// Numbers of both signs in an element type, made by kexpr itself.
static Memory makeInput(const RandomGraph::Input &input, int seed) {
  Floats floats = someFloats(input.shape, seed);
  std::string cast = "torch." + std::string(nameOf(input.type));
  const std::pair<const char *, const char *> spellings[] = {
      {"torch.f32", "torch.float"},  {"torch.f16", "torch.half"},
      {"torch.f64", "torch.double"}, {"torch.bf16", "torch.bfloat16"},
      {"torch.i8", "torch.int8"},    {"torch.i16", "torch.short"},
      {"torch.i32", "torch.int"},    {"torch.i64", "torch.long"},
      {"torch.u8", "torch.uint8"},   {"torch.u16", "torch.uint16"},
      {"torch.u32", "torch.uint32"}, {"torch.u64", "torch.uint64"}};
  for (const auto &[ours, theirs] : spellings)
    if (cast == ours)
      cast = theirs;
  Memory memory;
  memory.bytes.resize(
      std::max<std::size_t>(floats.data.size() * sizeOf(input.type), 1));
  memory.view = {static_cast<void *>(memory.bytes.data()), input.type,
                 input.shape};
  const auto kernel =
      Engine().compile(cast + "(@0)", {.mode = Mode::Interpret});
  EXPECT_TRUE(kernel && kernel->run(floats.view(), memory.view)) << cast;
  return memory;
}

/// A row-major tensor's bytes; any NaN as one text.
static std::string textOf(const TensorView &view) {
  const auto count = static_cast<std::size_t>(view.shape().elementCount());
  std::vector<double> values(count);
  const auto kernel =
      Engine().compile("torch.double(@0)", {.mode = Mode::Interpret,
                                            .operandTypes = {view.type()}});
  EXPECT_TRUE(kernel->run(view, TensorView(static_cast<void *>(values.data()),
                                           DType::F64, view.shape())));
  std::string text = std::string(nameOf(view.type())) + view.shape().str();
  for (const double value : values) {
    char digits[40];
    std::snprintf(digits, sizeof digits, " %a", value);
    text += std::isnan(value) ? " nan" : digits;
  }
  return text;
}

std::vector<std::string> GraphRandom::resultsOf(const RandomGraph &random,
                                                const PnnxModel &model,
                                                const RunVariant &variant) {
  auto graph = tryMake(
      model, {.fuse = variant.fuse, .reuseMemory = variant.reuseMemory});
  if (!graph)
    return {graph.error().message()};
  std::vector<std::string> results;
  for (int run = 0; run < 2; ++run) {
    std::list<Memory> memory; // Views point into it.
    std::vector<NamedTensor> inputs;
    for (const auto &input : random.inputs) {
      memory.push_back(
          makeInput(input, run * 10 + static_cast<int>(memory.size())));
      inputs.push_back({input.name, memory.back().view});
    }
    if (const Status status = graph->run(inputs); !status)
      return {status.error().message()};
    for (const std::string &name : random.outputs)
      results.push_back(textOf(*graph->output(name)));
  }
  if (variant.fuse && variant.reuseMemory) {
    ++valid;
    kernels += graph->steps().size();
    for (const GraphStep &step : graph->steps())
      operators += step.operators.size();
    reused += graph->memory().arena < graph->memory().values;
  }
  return results;
}

TEST_F(GraphRandom, SameBitsWhateverMerges) {
  constexpr unsigned count = 800;
  for (unsigned seed = 0; seed < count; ++seed) {
    const RandomGraph random(seed);
    // Machine code for some: it takes milliseconds a kernel.
    mode = seed % 40 == 0 ? Mode::Baseline : Mode::Interpret;
    const PnnxModel model = modelOf(random.lines);
    const auto plain = resultsOf(random, model, {false, false});
    for (const RunVariant variant :
         {RunVariant{true, true}, RunVariant{true, false},
          RunVariant{false, true}}) {
      const auto results = resultsOf(random, model, variant);
      if (plain.size() == 1 && results.size() == 1)
        continue; // Refused by both.
      ASSERT_EQ(results, plain)
          << "seed " << seed << (variant.fuse ? ", fused" : "")
          << (variant.reuseMemory ? ", reused" : "") << "\n"
          << paramOf(random.lines);
    }
  }
  std::printf("%zu of %u networks were valid: %zu operators in %zu steps\n",
              valid, count, operators, kernels);
  EXPECT_GT(valid, count * 2 / 5);
  EXPECT_GT(operators, kernels + kernels / 2);
  EXPECT_GT(reused, valid / 8);
}

/// The text with a few words changed for others of it.
static std::string mutate(const std::string &text, std::mt19937 &random) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;)
    words.push_back(word);
  std::string result = text;
  for (unsigned i = 0; i <= random() % 3; ++i) {
    const std::size_t end =
        result.find_first_of(" \n", random() % result.size());
    const std::size_t begin = result.find_last_of(" \n", end - 1) + 1;
    result.replace(begin, end - begin, words[random() % words.size()]);
  }
  return result;
}

TEST_F(GraphRandom, SpoiltNetworksAreRefusedOrRun) {
  std::mt19937 random(1);
  unsigned made = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const RandomGraph network(seed % 100);
    const auto model = parseModel(mutate(paramOf(network.lines), random));
    if (!model)
      continue;
    auto graph = tryMake(*model);
    if (!graph) {
      EXPECT_NE(graph.error().message(), "");
      continue;
    }
    std::list<Memory> memory;
    std::vector<NamedTensor> inputs;
    for (const GraphPort &port : graph->inputs()) {
      memory.push_back(makeInput({port.name, DType::F32, {2, 3, 4}}, 0));
      inputs.push_back({port.name, memory.back().view});
    }
    ++made;
    const bool isDone = static_cast<bool>(graph->run(inputs));
    for (const GraphPort &port : graph->outputs())
      EXPECT_EQ(static_cast<bool>(graph->output(port.name)), isDone);
  }
  EXPECT_GT(made, 200u);
}
