//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr-c/kexpr.h>

#include <stdio.h>

static void print(kexpr_tensor y, const kexpr_steps *steps) {
  const float *data = y.data;
  printf("%g %g %g\n", data[0], data[1], data[2]);
  for (size_t i = 0; i < kexpr_steps_count(steps); ++i) {
    const kexpr_step *step = kexpr_steps_at(steps, i);
    printf("%zu operators: %s\n", step->operator_count, step->expression);
  }
}

/// Runs the network tail.pnnx.param, whose path it is given.
int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "tail.pnnx.param";
  kexpr_error *error = NULL;
  kexpr_engine *engine = NULL;
  kexpr_model *model = NULL;
  kexpr_registry *registry = NULL;
  kexpr_graph *graph = NULL;
  kexpr_steps *steps = NULL;
  float x[] = {1, -2, 3}, skip[] = {10, 0, -1};
  int64_t shape[] = {3};
  kexpr_named_tensor inputs[] = {{"x", {x, KEXPR_F32, 1, shape, NULL}},
                                 {"skip", {skip, KEXPR_F32, 1, shape, NULL}}};
  kexpr_tensor y;

  if (kexpr_engine_create(NULL, &engine, &error) == KEXPR_OK &&
      kexpr_model_load(path, NULL, &model, &error) == KEXPR_OK &&
      kexpr_registry_create(true, &registry, &error) == KEXPR_OK &&
      kexpr_graph_create(engine, model, registry, NULL, &graph, &error) ==
          KEXPR_OK &&
      kexpr_graph_run(graph, inputs, 2, NULL, 0, NULL, &error) == KEXPR_OK &&
      kexpr_graph_value(graph, "y", &y, &error) == KEXPR_OK &&
      kexpr_graph_steps(graph, &steps, &error) == KEXPR_OK)
    print(y, steps);
  else
    fprintf(stderr, "%s\n", kexpr_error_render(error));

  const int failed = error != NULL;
  kexpr_error_free(error);
  kexpr_steps_free(steps);
  kexpr_graph_free(graph);
  kexpr_registry_free(registry);
  kexpr_model_free(model);
  kexpr_engine_free(engine);
  return failed;
}
