//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"
#include "Host/Allocations.h"
#include "Host/Calls.h"
#include "TestUtil/Files.h"
#include "TestUtil/Models.h"

using namespace kexpr;
using namespace kexpr::test;

// Memory that runs out at any allocation of public functions that have no test
// of their own for it. Nothing is compiled by LLVM here.

namespace {
/// What a function that fails does to the output.
enum class Effect { None, AllOrNothing, AllOrSome };

/// A function that allocates.
struct Function {
  std::string name;
  std::function<bool()> call;
  Effect effect = Effect::None;
};

/// Operands of a call, and all that is made before memory runs out.
struct Ready {
  Ready() {
    for (const unsigned threads : {0, 2, 3})
      EXPECT_TRUE(
          works(engine, 2, Mode::Optimized, 1000000, onThreads(threads)));
  }

  const Engine engine;
  Call call{60000};
  const std::vector<TensorView> inputs = call.inputs();
  const std::vector<TensorView> outputs = {call.output()};
  const std::vector<const void *> from = {inputs[0].data(), inputs[1].data()};
  const std::vector<void *> to = {outputs[0].data()};
  const std::string text = numbered(2);
  const CompileOptions interpreted = in(Mode::Interpret);
  const RunOptions three = onThreads(3);
};
} // namespace

static void failEachOf(const std::vector<Function> &functions, Call &call) {
  for (const Function &function : functions) {
    SCOPED_TRACE(function.name);
    call.spoil();
    failEach(function.call, [&](bool isDone) {
      EXPECT_TRUE(isDone && function.effect != Effect::None
                      ? call.wrong() == 0
                      : function.effect == Effect::AllOrSome ||
                            call.isUntouched());
      call.spoil();
    });
  }
}

TEST(OutOfMemoryElsewhere, InPreparingAndDumping) {
  EXPECT_TRUE(endsWell([] {
    Ready ready;
    const auto kernel = ready.engine.compile(ready.text, ready.interpreted);
    ASSERT_TRUE(kernel) << kernel.error().render();
    const auto prepare = [&] {
      return kernel->prepare(ready.inputs, ready.outputs, ready.three);
    };
    const auto prepared = prepare();
    ASSERT_TRUE(prepared) << prepared.error().render();
    std::vector<Function> functions = {
        {"prepare", [&] { return bool(prepare()); }},
        {"run", [&] { return bool(prepared->run(ready.from, ready.to)); },
         Effect::AllOrNothing}};
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Stage::Plan); ++i)
      functions.push_back(
          {"dump " + std::string(nameOf(static_cast<Stage>(i))),
           [&, i] { return bool(kernel->dump(static_cast<Stage>(i))); }});
    failEachOf(functions, ready.call);
  }));
}

TEST(OutOfMemoryElsewhere, InLayers) {
  EXPECT_TRUE(endsWell([] {
    Ready ready;
    const auto create = [&] {
      return ExpressionLayer::create(ready.engine, ready.text,
                                     ready.interpreted);
    };
    const auto layer = create();
    ASSERT_TRUE(layer);
    const std::vector<TensorView> none(1);
    const OutputAllocator allocate = [&](std::size_t, DType, const Shape &) {
      return ready.outputs[0];
    };
    const LayerCreator creator = [](const PnnxModel &, const PnnxOperator &) {
      return Expected<std::unique_ptr<Layer>>(nullptr);
    };
    failEachOf({{"create", [&] { return bool(create()); }},
                {"forward",
                 [&] {
                   return bool(layer->forward(ready.inputs, ready.outputs,
                                              ready.three));
                 },
                 Effect::AllOrNothing},
                {"forward that allocates",
                 [&] {
                   return bool(layer->forward(ready.inputs, none, ready.three,
                                              allocate));
                 },
                 Effect::AllOrNothing},
                {"add",
                 [&] {
                   // The host's own copies are made before the call.
                   std::string type = "my.Type";
                   LayerRegistry registry;
                   return bool(registry.add(std::move(type), creator));
                 }},
                {"add elementwise",
                 [] { return bool(LayerRegistry().addElementwise("F.relu")); }},
                {"add all elementwise",
                 [] { return bool(LayerRegistry().addElementwise()); }}},
               ready.call);
  }));
}

TEST(OutOfMemoryElsewhere, InNetworks) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(endsWell([&] {
    Ready ready;
    const std::string param =
        "7767517\n6 5\npnnx.Input in 0 1 x #x=(60000)f32\n"
        "pnnx.Input more 0 1 y #y=(60000)f32\n"
        "pnnx.Expression e 1 1 x v expr=mul(@0,2)\nF.relu r 1 1 v w\n"
        "pnnx.Expression f 2 1 w y z expr=add(@0,@1)\n"
        "pnnx.Output out 1 0 z\n";
    const std::string path = directory.path("param");
    writeFile(path, param);
    const auto model = parseModel(param);
    ASSERT_TRUE(model) << model.error().render();
    LayerRegistry registry;
    ASSERT_TRUE(registry.addElementwise());
    GraphOptions options;
    options.mode = Mode::Interpret;
    options.fuse = false;
    const auto create = [&] {
      return PnnxGraph::create(ready.engine, *model, registry, options);
    };
    auto graph = create();
    ASSERT_TRUE(graph) << graph.error().render();
    const std::vector<NamedTensor> inputs = {{"in", ready.inputs[0]},
                                             {"more", ready.inputs[1]}};
    const std::vector<NamedTensor> outputs = {{"out", ready.outputs[0]}};
    failEachOf(
        {{"parse", [&] { return bool(PnnxModel::parse(param)); }},
         {"load", [&] { return bool(PnnxModel::load(path)); }},
         {"create", [&] { return bool(create()); }},
         {"run", [&] { return bool(graph->run(inputs, outputs, ready.three)); },
          Effect::AllOrSome},
         {"profile",
          [&] { return bool(graph->profile(inputs, outputs, ready.three)); },
          Effect::AllOrSome}},
        ready.call);
  }));
}

namespace {
/// The same for C.
struct ReadyForC : Ready {
  ReadyForC() {
    interpret.size = sizeof interpret;
    interpret.mode = KEXPR_MODE_INTERPRET;
    options.size = sizeof options;
    options.max_threads = 3;
    const auto tensor = [this](const TensorView &view) {
      return kexpr_tensor{view.data(), KEXPR_F32, 1, &count, nullptr};
    };
    in[0] = tensor(inputs[0]);
    in[1] = tensor(inputs[1]);
    out = tensor(outputs[0]);
    kernel = compile(made, text.c_str(), &interpret);
    // The kernel of a layer, which LLVM compiles, is in the cache from here on.
    layerOf(nullptr);
    prepare(Out(prepared), nullptr);
    kexpr_expression_parse("[add(1,2),0.5,[3]]", nullptr, Out(list), nullptr);
  }
  kexpr_code prepare(kexpr_prepared **call, kexpr_error **error) {
    return kexpr_kernel_prepare(kernel.get(), in, 2, &out, 1, &options, call,
                                error);
  }
  kexpr_code layerOf(kexpr_error **error) {
    return kexpr_layer_create(made.get(), text.c_str(), Out(layer), error);
  }

  CEngine made = makeEngine();
  std::int64_t count = 60000;
  kexpr_tensor in[2], out;
  kexpr_compile_options interpret = {};
  kexpr_run_options options = {};
  CKernel kernel;
  CPrepared prepared;
  CLayer layer;
  CExpression list;
};
} // namespace

/// Whether a function of C succeeds; it fails by a lack of memory alone.
template <class F> static bool succeeds(F call) {
  kexpr_error *error = nullptr;
  const kexpr_code code = call(&error);
  const bool isSaid = kexpr_error_code(error) == code;
  kexpr_error_free(error);
  if (!isSaid || (code != KEXPR_OK && code != KEXPR_OUT_OF_MEMORY))
    _exit(4);
  return code == KEXPR_OK;
}

/// Those that compute the output.
static std::vector<Function> callsOf(ReadyForC &ready) {
  const auto from = ready.from.data();
  const auto to = ready.to.data();
  const auto function = [](const char *name, auto call) {
    return Function{name, [call] { return succeeds(call); },
                    Effect::AllOrNothing};
  };
  return {function("run",
                   [&](auto **error) {
                     return kexpr_kernel_run(ready.kernel.get(), ready.in, 2,
                                             &ready.out, 1, &ready.options,
                                             error);
                   }),
          function("run_batch",
                   [&](auto **error) {
                     return kexpr_kernel_run_batch(ready.kernel.get(), ready.in,
                                                   2, &ready.out, 1,
                                                   &ready.options, error);
                   }),
          function("prepared_run",
                   [&ready, from, to](auto **error) {
                     return kexpr_prepared_run(ready.prepared.get(), from, 2,
                                               to, 1, error);
                   }),
          function("layer_forward", [&](auto **error) {
            return kexpr_layer_forward(ready.layer.get(), ready.in, 2,
                                       &ready.out, 1, &ready.options, error);
          })};
}

/// Those that make something else.
static std::vector<Function> makersOf(ReadyForC &ready) {
  const auto function = [](std::string name, auto call) {
    return Function{std::move(name), [call] { return succeeds(call); }};
  };
  std::vector<Function> functions = {
      function("prepare",
               [&](auto **error) {
                 CPrepared call;
                 return ready.prepare(Out(call), error);
               }),
      function("evaluate",
               [&](auto **error) {
                 CScalar scalar;
                 return kexpr_expression_evaluate(ready.list.get(), nullptr, 0,
                                                  Out(scalar), error);
               }),
      function("layer_create",
               [&](auto **error) { return ready.layerOf(error); }),
      {"operator_count", [] { return kexpr_operator_count() > 0; }}};
  for (std::int32_t stage = 0; stage <= KEXPR_STAGE_PLAN; ++stage)
    functions.push_back(
        function("dump " + std::to_string(stage), [&, stage](auto **error) {
          kexpr_text *text = nullptr;
          const auto code =
              kexpr_kernel_dump(ready.kernel.get(), stage, &text, error);
          kexpr_text_free(text);
          return code;
        }));
  return functions;
}

TEST(OutOfMemoryElsewhere, InFunctionsOfC) {
  EXPECT_TRUE(endsWell([] {
    ReadyForC ready;
    ASSERT_TRUE(ready.kernel && ready.prepared && ready.layer && ready.list);
    failEachOf(makersOf(ready), ready.call);
    ASSERT_TRUE(ready.layer);
    failEachOf(callsOf(ready), ready.call);
  }));
}
