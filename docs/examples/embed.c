//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr-c/kexpr.h>

#include <stdio.h>

int main(void) {
  kexpr_error *error = NULL;
  kexpr_engine *engine = NULL;
  kexpr_kernel *kernel = NULL;
  float a[] = {1, 2, 3}, b[] = {4, 5, 6}, bias = 10, out[3];
  int64_t shape[] = {3};
  kexpr_tensor inputs[] = {{a, KEXPR_F32, 1, shape, NULL},
                           {b, KEXPR_F32, 1, shape, NULL},
                           {&bias, KEXPR_F32, 0, NULL, NULL}};
  kexpr_tensor output = {out, KEXPR_F32, 1, shape, NULL};

  if (kexpr_engine_create(NULL, &engine, &error) == KEXPR_OK &&
      kexpr_engine_compile(engine, "add(mul(@0,@1),@2)", NULL, &kernel,
                           &error) == KEXPR_OK &&
      kexpr_kernel_run(kernel, inputs, 3, &output, 1, NULL, &error) == KEXPR_OK)
    printf("%g %g %g\n", out[0], out[1], out[2]);
  else
    fprintf(stderr, "%s\n", kexpr_error_render(error));

  const int failed = error != NULL;
  kexpr_error_free(error);
  kexpr_kernel_free(kernel);
  kexpr_engine_free(engine);
  return failed;
}
