//===- Host/Jobs.h - Every kind of call that is split over threads --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_JOBS_H
#define KEXPR_UNITTESTS_HOST_JOBS_H

#include "Host/Calls.h"
#include "TestUtil/Models.h"

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kexpr::test {

/// A call that is split over threads, and what it must write.
struct Job {
  static constexpr std::int64_t Count = 120000;

  std::string name;
  std::function<Status(const RunOptions &)> run;
  std::shared_ptr<std::vector<float>> out =
      std::make_shared<std::vector<float>>(Count);
  std::vector<float> expected = {};

  void spoil() const {
    std::fill(out->begin(), out->end(),
              std::numeric_limits<float>::quiet_NaN());
  }
  bool isRight() const {
    return std::memcmp(out->data(), expected.data(), Count * sizeof(float)) ==
           0;
  }
  /// Whether a run succeeds, with the bits of one thread.
  testing::AssertionResult works(const RunOptions &options) const {
    spoil();
    if (const Status status = run(options); !status)
      return testing::AssertionFailure()
             << name << ": " << status.error().render();
    return isRight() ? testing::AssertionSuccess()
                     : testing::AssertionFailure() << name << ": other bits";
  }
  /// Whether a run is right, or says that the executor was wrong.
  testing::AssertionResult isHonest(const RunOptions &options) const {
    spoil();
    const Status status = run(options);
    if (status)
      return isRight() ? testing::AssertionSuccess()
                       : testing::AssertionFailure() << name << ": other bits";
    return status.error().code() == ErrorCode::InvalidArgument &&
                   status.error().message().find("the executor ") !=
                       std::string::npos
               ? testing::AssertionSuccess()
               : testing::AssertionFailure()
                     << name << ": " << status.error().render();
  }
};

/// Options of a call in many tasks.
inline RunOptions inTasks() {
  RunOptions options;
  options.tileElements = 64;
  return options;
}

/// Makes the jobs of an engine and a mode.
class JobMaker {
public:
  JobMaker(const Engine &engine, Mode mode) : engine(engine), mode(mode) {
    for (std::size_t i = 0; i < data->size(); ++i)
      (*data)[i] = 0.37f * static_cast<float>(i % 1013) - 150;
  }

  std::vector<Job> make() {
    addCall("contiguous", "mul(@0,sigmoid(@1))", {view(0, {n}), view(n, {n})});
    addCall("transposed", "add(mul(@0,@1),0.3)",
            {view(0, {300, 400}), view(n, {300, 400}, {1, 300})});
    addCall("broadcast", "add(mul(@0,@1),@2)",
            {view(0, {300, 400}), view(n, {400}), view(n, {300, 1})});
    addSeveral("outputs", {view(0, {n / 2}), view(n, {n / 2})},
               {{n / 2}, {n / 2}});
    addSeveral("parts", {view(0, {n / 4}), view(n, {3 * n / 4})},
               {{n / 4}, {3 * n / 4}});
    addBatch();
    addBound();
    addPrepared();
    addGraph();
    for (Job &job : jobs) {
      EXPECT_TRUE(job.run(onThreads(1))) << job.name;
      job.expected = *job.out;
    }
    return std::move(jobs);
  }

private:
  static constexpr std::int64_t n = Job::Count;

  TensorView view(std::int64_t begin, const Shape &shape) {
    return {static_cast<const float *>(data->data()) + begin, shape};
  }
  TensorView view(std::int64_t begin, const Shape &shape,
                  const Shape &strides) {
    return {static_cast<const void *>(data->data() + begin), DType::F32, shape,
            strides};
  }
  Kernel compile(const std::string &text) {
    auto kernel = engine.compile(text, in(mode));
    EXPECT_TRUE(kernel) << kernel.error().render();
    return *kernel;
  }
  void addCall(const char *name, const char *text,
               std::vector<TensorView> inputs) {
    Job job{name, {}};
    const TensorView out(job.out->data(), inputs[0].shape());
    job.run = [=, kernel = compile(text), data = data](const RunOptions &o) {
      return kernel.run(inputs, out, o);
    };
    jobs.push_back(std::move(job));
  }
  void addSeveral(const char *name, std::vector<TensorView> inputs,
                  const std::vector<Shape> &shapes) {
    Job job{name, {}};
    std::vector<TensorView> outs;
    std::int64_t begin = 0;
    for (const Shape &shape : shapes) {
      outs.emplace_back(job.out->data() + begin, shape);
      begin += shape.elementCount();
    }
    job.run = [=, kernel = compile("[mul(@0,0.1),tanh(@1)]"), data = data](
                  const RunOptions &o) { return kernel.run(inputs, outs, o); };
    jobs.push_back(std::move(job));
  }
  void addBatch() {
    Job job{"batch", {}};
    constexpr std::int64_t items = 24, each = n / items;
    std::vector<TensorView> inputs, outs;
    for (std::int64_t i = 0; i < 2 * items; ++i)
      inputs.push_back(view(i * each, {each}));
    for (std::int64_t i = 0; i < items; ++i)
      outs.emplace_back(job.out->data() + i * each, Shape{each});
    job.run = [=, kernel = compile("div(@0,add(@1,0.1))"),
               data = data](const RunOptions &o) {
      return kernel.runBatch(inputs, outs, o);
    };
    jobs.push_back(std::move(job));
  }
  void addBound() {
    Job job{"bound", {}};
    const TensorView x = view(0, {n}), out(job.out->data(), {n});
    job.run = [=, kernel = compile("sin(@0)"),
               data = data](const RunOptions &o) -> Status {
      const auto bound = kernel.bind(x, out, o);
      return bound ? bound->run() : Status(bound.error());
    };
    jobs.push_back(std::move(job));
  }
  void addPrepared() {
    Job job{"prepared", {}};
    const TensorView shaped(static_cast<const float *>(nullptr), {n}),
        to(static_cast<float *>(nullptr), {n});
    float *const out = job.out->data();
    job.run = [=, kernel = compile("exp(mul(@0,0.01))"),
               data = data](const RunOptions &o) -> Status {
      const auto call = kernel.prepare(shaped, to, o);
      const std::vector<const void *> from = {data->data()};
      const std::vector<void *> into = {out};
      return call ? call->run(from, into) : Status(call.error());
    };
    jobs.push_back(std::move(job));
  }
  void addGraph() {
    const auto model = parseModel(
        "7767517\n4 3\npnnx.Input in 0 1 x #x=(120000)f32\n"
        "F.silu s 1 1 x v\npnnx.Expression e 2 1 v x y expr=sub(@0,@1)\n"
        "pnnx.Output out 1 0 y\n");
    LayerRegistry registry;
    EXPECT_TRUE(registry.addElementwise());
    GraphOptions options;
    options.mode = mode;
    options.fuse = false;
    auto made = PnnxGraph::create(engine, *model, registry, options);
    EXPECT_TRUE(made) << made.error().render();
    Job job{"graph", {}};
    const NamedTensor x{"in", view(0, {n})},
        out{"out", TensorView(job.out->data(), {n})};
    job.run = [=, data = data,
               graph = std::make_shared<PnnxGraph>(std::move(*made))](
                  const RunOptions &o) { return graph->run(x, out, o); };
    jobs.push_back(std::move(job));
  }

  Engine engine;
  Mode mode;
  std::shared_ptr<std::vector<float>> data =
      std::make_shared<std::vector<float>>(2 * n);
  std::vector<Job> jobs;
};

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_JOBS_H
