//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/CallArguments.h"

#include "Fuzz/ScratchFolder.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::fuzz;

const char *CallArguments::text() {
  static constexpr const char *texts[] = {"add(@0,@1)",
                                          "add(@0,@1)",
                                          "mul(@0,2.5)",
                                          "@0",
                                          "neg(@0)",
                                          "[@0,neg(@1)]",
                                          "sqrt(add(@0,@2))",
                                          "size(@0,0)",
                                          "[size(@0,0),2,True,None,1.5,[3]]",
                                          "1+2j",
                                          "where(gt(@0,0),@0,@1)",
                                          "add(@0,",
                                          "",
                                          "nope(@0)",
                                          "(((",
                                          "and(@0,@1)",
                                          "\xff",
                                          nullptr};
  return choices.oneOf(texts);
}

const char *CallArguments::param() {
  static constexpr const char *params[] = {
      "7767517\n3 2\npnnx.Input in 0 1 x\nF.relu r 1 1 x y\n"
      "pnnx.Output out 1 0 y\n",
      "7767517\n3 2\npnnx.Input in 0 1 x #x=(2,3)f32\n"
      "pnnx.Expression e 1 1 x y expr=add(@0,1)\npnnx.Output out 1 0 y\n",
      "7767517\n4 3\npnnx.Input in 0 1 x\ntest.Host h 1 1 x a\n"
      "F.silu s 1 1 a y\npnnx.Output out 1 0 y\n",
      "7767517\n5 4\npnnx.Input in 0 1 x #x=(?,4)f32\n"
      "test.Host h 1 2 x a b key=some text\n"
      "prim::TupleConstruct t 2 1 a b y\npnnx.Output out 1 0 y\n"
      "pnnx.Output again 1 0 a\n",
      "7767517\n2 1\npnnx.Input in 0 1 x\npnnx.Output out 1 0 x\n",
      "7767517\n",
      "",
      nullptr};
  return choices.oneOf(params);
}

const char *CallArguments::name() {
  static constexpr const char *all[] = {"in",        "out", "out.0", "again",
                                        "test.Host", "x",   "key",   "F.relu",
                                        "",          "f32", "asm",   nullptr};
  return choices.oneOf(all);
}

std::int64_t CallArguments::number() {
  static constexpr std::int64_t numbers[] = {
      0, 1, 1, 2, 3, 4, 5, 16, -1, std::int64_t{1} << 40, INT64_MAX, INT64_MIN};
  return choices.oneOf(numbers);
}

std::size_t CallArguments::limit() {
  return static_cast<std::size_t>(choices.below(16) ? 0 : number());
}

kexpr_tensor CallArguments::tensor() {
  static constexpr kexpr_dtype types[] = {1, 1, 1, 1, 1, 2, 3,
                                          4, 5, 6, 7, 8, 9, 13};
  static constexpr kexpr_dtype noTypes[] = {0, -1, 99};
  static constexpr std::uint32_t ranks[] = {1, 1, 2, 2, 2, 3, 0, 4};
  static constexpr std::uint32_t noRanks[] = {17, ~0u};
  kexpr_tensor tensor = {};
  if (choices.below(64) == 63)
    return tensor;
  std::int64_t *shape = extents[nextExtents++ % std::size(extents)];
  std::int64_t *strides = extents[nextExtents++ % std::size(extents)];
  tensor.type =
      choices.below(64) ? choices.oneOf(types) : choices.oneOf(noTypes);
  tensor.rank =
      choices.below(64) ? choices.oneOf(ranks) : choices.oneOf(noRanks);
  const bool isSimple = choices.below(8) != 0;
  const auto rank = std::min<std::size_t>(tensor.rank, KEXPR_MAX_RANK + 1);
  // What a program says of its own memory must be true: else no memory.
  double first = 0, last = 0;
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    shape[axis] = isSimple ? 2 + static_cast<std::int64_t>(axis) : number();
    strides[axis] = number();
    rows *= isSimple && axis + 1 < rank ? shape[axis] : 1;
  }
  if (isSimple && isLarge && rank > 0)
    shape[rank - 1] = SplitElements / rows;
  const bool isStrided = choices.below(8) == 0;
  double step = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    const auto extent = static_cast<double>(shape[axis]);
    const double reach =
        (extent - 1) * (isStrided ? static_cast<double>(strides[axis]) : step);
    (reach < 0 ? first : last) += reach;
    step *= extent;
  }
  const std::size_t begin = 16 * choices.below(32);
  const bool isInside =
      first * 8 >= -static_cast<double>(begin) &&
      (last + 1) * 8 <= static_cast<double>(sizeof memory - begin);
  tensor.data = isInside && choices.below(64) != 63 ? memory + begin : nullptr;
  tensor.shape = choices.below(64) == 63 ? nullptr : shape;
  tensor.strides = isStrided ? strides : nullptr;
  return tensor;
}

void *CallArguments::placeFor(const kexpr_tensor &tensor) {
  auto *place = static_cast<unsigned char *>(tensor.data);
  if (!place || choices.below(32) == 31)
    return nullptr;
  // Elements may lie before the first one.
  for (std::uint32_t axis = 0; tensor.strides && axis < tensor.rank; ++axis)
    if (tensor.strides[axis] < 0)
      return place;
  const auto steps = static_cast<std::uint32_t>((place - memory) / 16);
  return choices.below(2) ? place : place - 16 * choices.below(steps + 1);
}

kexpr_executor CallArguments::executor() {
  static constexpr decltype(kexpr_executor::run) runs[] = {
      [](void *, int64_t count, kexpr_tasks tasks, void *call) {
        tasks(0, count, call);
      },
      [](void *, int64_t count, kexpr_tasks tasks, void *call) {
        while (count-- > 0)
          tasks(count, count + 1, call);
      },
      [](void *, int64_t, kexpr_tasks, void *) {},
      [](void *, int64_t, kexpr_tasks tasks, void *call) {
        tasks(INT64_MIN, INT64_MAX, call);
        tasks(INT64_MAX, INT64_MIN, call);
      },
      [](void *, int64_t, kexpr_tasks tasks, void *call) {
        tasks(0, 1, call);
        throw 1;
      },
      [](void *context, int64_t count, kexpr_tasks tasks, void *call) {
        auto &kept = static_cast<CallArguments *>(context)->kept;
        if (kept.tasks)
          kept.tasks(0, count, kept.call);
        kept = {tasks, call};
      }};
  static constexpr std::uint32_t threads[] = {4, 0, 1, 2, 100, ~0u};
  if (choices.below(4))
    return {};
  return {choices.oneOf(runs), this, choices.oneOf(threads)};
}

const kexpr_tensor *CallArguments::tensors(std::size_t &count) {
  count = choices.below(16) ? count : choices.below(std::size(many));
  isLarge = choices.below(4) == 0;
  for (std::size_t i = 0; i < std::size(many); ++i)
    many[i] = i < count ? tensor() : kexpr_tensor{};
  return choices.below(64) == 63 ? nullptr : many;
}

const kexpr_named_tensor *CallArguments::namedTensors(std::size_t &count) {
  count = choices.below(16) ? count : choices.below(std::size(named));
  for (std::size_t i = 0; i < count; ++i)
    named[i] = {choices.below(16) ? "in" : name(), tensor()};
  return choices.below(64) == 63 ? nullptr : named;
}

/// A directory for engines, emptied before it has much.
static const char *scratchPath() {
  constexpr unsigned most = 64;
  static const ScratchFolder folder;
  static unsigned uses = 0;
  if (++uses % most == 0)
    folder.clear();
  return folder.path().c_str();
}

const kexpr_engine_options *CallArguments::engineOptions() {
  static constexpr const char *words[] = {"", "compile,cache", "nonsense"};
  const char *const places[] = {"", "/dev/null/no", scratchPath()};
  static constexpr std::uint32_t bits[] = {128, 256, 512, 7, ~0u};
  static constexpr std::uint32_t listeners[] = {4, 16, ~0u};
  kexpr_engine_options options = {};
  options.cpu = rarely(words);
  options.features = rarely(words);
  options.vector_bits = rarely(bits);
  options.max_kernels = limit();
  options.max_code_bytes = limit();
  options.cache_directory = rarely(places);
  options.max_disk_bytes = limit();
  options.listeners = rarely(listeners);
  options.dump_directory = rarely(places);
  options.log = rarely(words);
  options.log_sink = [](void *, const char *line) {
    volatile char first = *line;
    static_cast<void>(first);
  };
  options.executor = executor();
  return optional(options);
}

const kexpr_parse_limits *CallArguments::limits() {
  return optional(
      kexpr_parse_limits{0, limit(), limit(), limit(), limit(), limit()});
}

static std::int32_t modeOf(Choices &choices) {
  // Machine code takes milliseconds.
  static constexpr std::int32_t modes[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2,  2,
                                           2, 2, 2, 2, 2, 0, 1, 3, 3, -1, 4};
  return choices.oneOf(modes);
}

const kexpr_compile_options *CallArguments::compileOptions() {
  static constexpr kexpr_dtype all[] = {1, 1, 1, 2, 3, 5, 8, 9, 13, 0, 77};
  for (kexpr_dtype &type : types)
    type = choices.oneOf(all);
  for (std::uint32_t &operand : zeroDims)
    operand = choices.below(8) ? choices.below(4) : ~0u;
  kexpr_compile_options options = {};
  options.mode = modeOf(choices);
  options.precision =
      static_cast<std::int32_t>(choices.below(16) ? choices.below(3) : 7);
  options.operand_types = choices.below(8) ? types : nullptr;
  options.operand_type_count = choices.below(std::size(types) + 1);
  options.zero_dim_operands = choices.below(8) ? zeroDims : nullptr;
  options.zero_dim_operand_count = choices.below(std::size(zeroDims) + 1);
  options.limits = limits();
  return optional(options);
}

const kexpr_run_options *CallArguments::runOptions() {
  kexpr_run_options options = {};
  options.max_threads = choices.below(4) ? choices.below(3) : ~0u;
  options.stores =
      choices.below(16) ? static_cast<std::int32_t>(choices.below(3)) : -1;
  options.tile_elements = choices.below(2) ? 0 : number();
  options.stay_awake_us = choices.below(4) ? -1 : number();
  options.executor = executor();
  return optional(options);
}

const kexpr_graph_options *CallArguments::graphOptions() {
  for (const char *&extra : names)
    extra = choices.below(4) ? "x" : name();
  kexpr_graph_options options = {};
  options.mode = modeOf(choices);
  options.precision =
      static_cast<std::int32_t>(choices.below(16) ? choices.below(3) : 7);
  options.no_fuse = choices.below(2) != 0;
  options.no_reuse = choices.below(2) != 0;
  options.extra_outputs = choices.below(8) ? names : nullptr;
  options.extra_output_count = choices.below(4) ? 0 : choices.below(3);
  return optional(options);
}
