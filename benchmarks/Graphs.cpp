//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of networks whose elementwise operators run as one kernel, measured in
// turns with the same graph run operator by operator.
//
//===----------------------------------------------------------------------===//
#include "Bench/Suite.h"
#include "Bench/Table.h"
#include "Bench/Timing.h"
#include "kexpr/PnnxGraph.h"

#include <algorithm>
#include <cstring>
#include <iostream>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
/// A network whose inputs `in0`, `in1`... are of one shape, or of one number a
/// channel where the name ends with `c`.
struct Block {
  const char *name;
  std::vector<const char *> inputs;
  const char *operators;
  unsigned count; ///< Of lines of `operators`.
};

struct Size {
  const char *name;
  Shape shape;
};
} // namespace

static const Block blocks[] = {
    {"residual tail",
     {"in0", "in1", "scalec", "shiftc"},
     "pnnx.Expression bn 3 1 in0 scalec shiftc a expr=add(mul(@0,@1),@2)\n"
     "pnnx.Expression sum 2 1 a in1 b expr=add(@0,@1)\n"
     "F.relu relu 1 1 b out\n",
     3},
    {"SiLU gate",
     {"in0", "in1"},
     "F.silu silu 1 1 in0 a\n"
     "pnnx.Expression gate 2 1 a in1 out expr=mul(@0,@1)\n",
     2},
    {"quick GELU",
     {"in0"},
     "pnnx.Expression scale 1 1 in0 a expr=mul(@0,1.702)\n"
     "F.sigmoid sigmoid 1 1 a b\n"
     "pnnx.Expression gate 2 1 in0 b out expr=mul(@0,@1)\n",
     3},
    {"squeeze and excite",
     {"in0", "gatec", "in1"},
     "F.hardsigmoid hs 1 1 gatec a\n"
     "pnnx.Expression gate 2 1 in0 a b expr=mul(@0,@1)\n"
     "F.hardswish act 1 1 b c\n"
     "pnnx.Expression sum 2 1 c in1 out expr=add(@0,@1)\n",
     4},
    {"masked softmax",
     {"in0", "in1"},
     "pnnx.Expression mask 2 1 in0 in1 a expr=add(mul(@0,0.125),@1)\n"
     "F.softmax softmax 1 1 a out dim=-1\n",
     2},
    {"residual layer norm",
     {"in0", "in1"},
     "pnnx.Expression sum 2 1 in0 in1 a expr=add(@0,@1)\n"
     "F.layer_norm norm 1 1 a b eps=1.0e-5 normalized_shape=(1)\n"
     "F.gelu gelu 1 1 b out\n",
     3},
    {"residual RMS norm",
     {"in0", "in1"},
     "pnnx.Expression sum 2 1 in0 in1 a expr=add(@0,@1)\n"
     "F.rms_norm norm 1 1 a b eps=1.0e-5 normalized_shape=(1)\n"
     "pnnx.Expression gate 2 1 b in1 out expr=mul(@0,@1)\n",
     3},
};

static const Size sizes[] = {{"56x56", {8, 256, 56, 56}},
                             {"28x28", {8, 128, 28, 28}},
                             {"14x14", {1, 256, 14, 14}},
                             {"rows of 1024", {1, 1, 8192, 1024}}};

static Shape inputShape(const Block &block, std::size_t input,
                        const Shape &shape) {
  const std::string name = block.inputs[input];
  return name.back() == 'c' ? Shape{shape[0], shape[1], 1, 1} : shape;
}

static std::string paramOf(const Block &block) {
  const auto inputs = static_cast<unsigned>(block.inputs.size());
  std::string text = "7767517\n" + std::to_string(inputs + block.count + 1) +
                     " " + std::to_string(inputs + block.count) + "\n";
  for (const char *name : block.inputs)
    text += std::string("pnnx.Input ") + name + " 0 1 " + name + "\n";
  return text + block.operators + "pnnx.Output y 1 0 out\n";
}

namespace {
/// A block as one graph that merges operators, and one that does not.
class Comparison {
public:
  Comparison(const Block &block, const Shape &shape, unsigned threads)
      : block(block), shape(shape), threads(threads) {}

  Status prepare(const Engine &engine, Pool &pool);
  Status runFused() { return run(*fused); }
  Status runApart() { return run(*apart); }
  std::size_t kernels() const { return fused->steps().size(); }

private:
  Status run(PnnxGraph &graph) {
    return graph.run(inputs, NamedTensor{"y", output}, {.maxThreads = threads});
  }
  Status verify(Pool &pool);

  const Block &block;
  const Shape shape;
  const unsigned threads;
  std::optional<PnnxGraph> fused, apart;
  std::vector<NamedTensor> inputs;
  TensorView output;
};
} // namespace

Status Comparison::prepare(const Engine &engine, Pool &pool) {
  const std::string text = paramOf(block);
  auto model = PnnxModel::parse(text);
  if (!model)
    return model.error();
  LayerRegistry registry;
  if (Status status = registry.addElementwise(); !status)
    return status;
  for (const bool fuse : {true, false}) {
    auto graph = PnnxGraph::create(engine, *model, registry, {.fuse = fuse});
    if (!graph)
      return graph.error();
    (fuse ? fused : apart) = std::move(*graph);
  }
  for (std::size_t i = 0; i < block.inputs.size(); ++i) {
    const Shape own = inputShape(block, i, shape);
    auto memory = pool.input(i, own.elementCount());
    if (!memory)
      return memory.error();
    inputs.push_back({block.inputs[i], {*memory, own}});
  }
  auto out = pool.output(0, shape.elementCount());
  if (!out)
    return out.error();
  output = {static_cast<void *>(*out), DType::F32, shape};
  return verify(pool);
}

Status Comparison::verify(Pool &pool) {
  const std::int64_t count = shape.elementCount();
  auto expected = pool.output(1, count);
  if (!expected)
    return expected.error();
  const auto *results = static_cast<const float *>(output.data());
  if (Status status = runApart(); !status)
    return status;
  std::copy_n(results, count, *expected);
  if (Status status = runFused(); !status)
    return status;
  return sameBits(results, *expected, count);
}

static void compare(benchmark::State &state, const Engine &engine, Pool &pool,
                    const Block &block, const Size &size, unsigned threads) {
  Comparison comparison(block, size.shape, threads);
  if (!succeeded(state, comparison.prepare(engine, pool)))
    return;
  std::vector<double> fused, apart;
  for (auto _ : state) {
    apart.push_back(timeOf([&] { (void)comparison.runApart(); }));
    fused.push_back(timeOf([&] { (void)comparison.runFused(); }));
    state.SetIterationTime(fused.back());
  }
  const auto count = static_cast<double>(size.shape.elementCount());
  state.counters["kernels"] = static_cast<double>(comparison.kernels());
  state.counters["ns_per_element"] = median(fused) / count * 1e9;
  state.counters["apart_ns_per_element"] = median(apart) / count * 1e9;
  state.counters["speedup"] = median(apart) / median(fused);
}

static std::string nameOf(const Block &block, const Size &size,
                          unsigned threads) {
  return std::string(block.name) + "/" + size.name +
         "/threads:" + std::to_string(threads);
}

/// Calls `visit` with every block, size and number of threads.
template <class F> static void forEachCase(F visit) {
  for (const Size &size : sizes)
    for (const Block &block : blocks)
      for (unsigned threads = 1; threads <= hardwareThreads();
           threads += std::max(1u, hardwareThreads() - 1))
        visit(block, size, threads);
}

static void summarize(const RunLog &log) {
  Table table({"block", "shape", "threads", "kernels", "ns/element",
               "node by node ns/element", "speed / node by node"});
  forEachCase([&](const Block &block, const Size &size, unsigned threads) {
    if (const auto *result = log.find(nameOf(block, size, threads)))
      table.add({block.name, size.shape.str(), std::to_string(threads),
                 number(result->counters.at("kernels"), 0),
                 number(result->counters.at("ns_per_element"), 3),
                 number(result->counters.at("apart_ns_per_element"), 3),
                 number(result->counters.at("speedup"), 2)});
  });
  std::cout << "\nBoth sides measured in turns. Medians.\n\n";
  table.print(std::cout);
}

int main(int argc, char **argv) {
  const Engine engine;
  Pool pool;
  forEachCase([&](const Block &block, const Size &size, unsigned threads) {
    benchmark::RegisterBenchmark(nameOf(block, size, threads).c_str(),
                                 [&, threads](benchmark::State &state) {
                                   compare(state, engine, pool, block, size,
                                           threads);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  });
  return runSuite(argc, argv, engine,
                  {"--benchmark_min_time=0.2", "--benchmark_repetitions=3",
                   "--benchmark_report_aggregates_only=true"},
                  summarize);
}
