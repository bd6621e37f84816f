//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three paths that utils/paths.py counts, one a process: callgrind collects
// inside pathCompile, pathRun or pathNetwork. Compiles against any release
// since 1.0.0.
//
//   driver compile|run|network NETWORK [cold]
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <cstdio>
#include <initializer_list>
#include <string>

using namespace kexpr;

static auto pathCompile(const Engine &engine, const char *text) {
  return engine.compile(text);
}

static Status pathRun(const Kernel &kernel,
                      std::initializer_list<TensorView> inputs,
                      std::initializer_list<TensorView> outputs) {
  return kernel.run(inputs, outputs);
}

#if __has_include(<kexpr/PnnxGraph.h>)
static auto pathNetwork(const Engine &engine, const LayerRegistry &registry,
                        const std::string &name) {
  GraphOptions options;
  options.mode = Mode::Interpret;
  auto model = PnnxModel::load(name + ".param", name + ".bin");
  return PnnxGraph::create(engine, *model, registry, options);
}
#endif

/// Says why, and gives a status for the process.
static int failed(const Error &error) {
  return std::fprintf(stderr, "%s\n", error.render().c_str()), 1;
}

int main(int argc, char **argv) {
  const std::string path = argc > 2 ? argv[1] : "";
  const Engine engine; // Compiles in Mode::Optimized.
  if (argc < 4) {
    // So that what happens once in a process has happened.
    const auto other = engine.compile("sub(@0,exp(@1))");
    if (!other)
      return failed(other.error());
  }
#if __has_include(<kexpr/PnnxGraph.h>)
  if (path == "network") {
    LayerRegistry registry;
    if (auto status = registry.addElementwise(); !status)
      return failed(status.error());
    const auto graph = pathNetwork(engine, registry, argv[2]);
    return graph ? 0 : failed(graph.error());
  }
#endif
  if (path != "compile" && path != "run")
    return std::fprintf(stderr, "no such path\n"), 2;
  const auto kernel = pathCompile(engine, "add(mul(@0,@1),@2)");
  if (!kernel)
    return failed(kernel.error());
  float a[16] = {}, b[16] = {}, c[16] = {}, out[16];
  const std::initializer_list<TensorView> inputs = {
      {a, {16}}, {b, {16}}, {c, {16}}};
  const std::initializer_list<TensorView> outputs = {{out, {16}}};
  // The first call makes what later ones find.
  if (auto status = kernel->run(inputs, outputs); !status)
    return failed(status.error());
  const auto status = pathRun(*kernel, inputs, outputs);
  return status ? 0 : failed(status.error());
}
