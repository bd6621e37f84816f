//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::capi;

static Error invalid(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

//===-- Errors ------------------------------------------------------------===//

/// The members that functions read. It owns no memory, so that a constant one
/// serves where memory runs out.
struct kexpr_error {
  kexpr_code code;
  const char *message;
  const char *rendered;
  const char *source;
  SourceRange range;
  bool placed;
};

namespace {
struct OwnedError : kexpr_error {
  explicit OwnedError(const Error &given)
      : kexpr_error(), error(given), text(error.render()) {
    code = static_cast<kexpr_code>(error.code());
    message = error.message().c_str();
    rendered = text.c_str();
    source = error.source().c_str();
    range = error.range();
    placed = error.hasRange();
  }

  Error error;
  std::string text;
};
} // namespace

static kexpr_error exhausted = {
    KEXPR_OUT_OF_MEMORY, "out of memory", "error: out of memory", "", {}, false,
};

kexpr_code capi::fail(const Error &error, kexpr_error **out) noexcept {
  try {
    if (out)
      *out = new OwnedError(error);
  } catch (...) {
    *out = &exhausted;
    return exhausted.code;
  }
  return static_cast<kexpr_code>(error.code());
}

Error capi::isNull(const char *name) {
  return invalid(concat(name, " is null"));
}

Status capi::check(std::initializer_list<Required> required) {
  for (const Required &each : required)
    if (!each.argument)
      return isNull(each.name);
  return {};
}

void kexpr_error_free(kexpr_error *error) {
  if (error != &exhausted)
    delete static_cast<OwnedError *>(error);
}

kexpr_code kexpr_error_code(const kexpr_error *error) {
  return error ? error->code : KEXPR_OK;
}

const char *kexpr_error_message(const kexpr_error *error) {
  return error ? error->message : "";
}

const char *kexpr_error_render(const kexpr_error *error) {
  return error ? error->rendered : "";
}

const char *kexpr_error_source(const kexpr_error *error) {
  return error ? error->source : "";
}

bool kexpr_error_range(const kexpr_error *error, size_t *begin, size_t *end) {
  const SourceRange range = error ? error->range : SourceRange();
  if (begin)
    *begin = range.begin;
  if (end)
    *end = range.end;
  return error && error->placed;
}

//===-- Tensors -----------------------------------------------------------===//

static bool isEmpty(const kexpr_tensor &tensor) {
  return !tensor.data && tensor.type == 0 && tensor.rank == 0 &&
         !tensor.shape && !tensor.strides;
}

kexpr_tensor capi::tensorOf(const TensorView &view) {
  const Shape &shape = view.shape();
  const bool isRowMajor = view.strides() == contiguousStrides(shape);
  return {view.data(), static_cast<kexpr_dtype>(view.type()),
          static_cast<std::uint32_t>(shape.rank()), shape.begin(),
          isRowMajor ? nullptr : view.strides().begin()};
}

Error capi::nullList(std::size_t count, const char *what) {
  return invalid(concat(count, ' ', what, "s at a null pointer"));
}

/// Checks that the members of a tensor fit each other; the kernel checks their
/// values.
Status capi::readTensor(const kexpr_tensor &given, const char *what,
                        std::size_t index, TensorView &view) {
  if (isEmpty(given))
    return {};
  const auto fault = [&](const auto &...parts) {
    return invalid(concat(what, ' ', index, " has ", parts...));
  };
  if (kexpr_dtype_size(given.type) == 0)
    return fault("type ", given.type, ", which is no element type");
  if (given.rank > MaxRank)
    return fault(given.rank, " axes; the most are ", MaxRank);
  if (given.rank > 0 && !given.shape)
    return fault(given.rank, " axes and a null shape");
  const auto type = static_cast<DType>(given.type);
  const Shape shape(given.shape, given.rank);
  view = given.strides ? TensorView(given.data, type, shape,
                                    Shape(given.strides, given.rank))
                       : TensorView(given.data, type, shape);
  return {};
}

Status capi::readTensor(const kexpr_named_tensor &given, const char *what,
                        std::size_t index, NamedTensor &tensor) {
  if (!given.name)
    return isNull(concat("the name of ", what, ' ', index).c_str());
  tensor.name = given.name;
  return readTensor(given.tensor, what, index, tensor.tensor);
}

size_t kexpr_dtype_size(kexpr_dtype type) {
  return type > 0 && type < 256 ? sizeOf(static_cast<DType>(type)) : 0;
}

const char *kexpr_dtype_name(kexpr_dtype type) {
  return kexpr_dtype_size(type) > 0 ? nameOf(static_cast<DType>(type)).data()
                                    : "?";
}

kexpr_code kexpr_dtype_parse(const char *name, kexpr_dtype *type,
                             kexpr_error **error) {
  return give(type, "the place for the type", error, {{name, "the name"}},
              [&] { return parseDType(name); });
}

//===-- Options -----------------------------------------------------------===//

static constexpr std::size_t MaxSize = 4096;

Status capi::checkSize(std::size_t size, const char *name) {
  if (size < sizeof(std::size_t) || size > MaxSize)
    return invalid(
        concat(name, ".size is ", size, "; it must be sizeof(", name, ")"));
  return {};
}

Status capi::checkUnknown(const void *given, std::size_t size,
                          std::size_t known, const char *name) {
  if (auto status = checkSize(size, name); !status)
    return status;
  const auto *bytes = static_cast<const unsigned char *>(given);
  for (std::size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return invalid(concat(name, " sets what version ", KEXPR_VERSION,
                            " does not know, at byte ", i));
  return {};
}

/// Sets an enumerator from its number, which must not pass that of `last`.
template <class E>
static Status set(E &target, std::int32_t value, E last, const char *name) {
  if (value < 0 || value > static_cast<std::int32_t>(last))
    return invalid(concat(name, " is ", value, "; it must be 0 to ",
                          static_cast<std::int32_t>(last)));
  target = static_cast<E>(value);
  return {};
}

/// Sets a member unless the value is 0, which stands for the default.
template <class T, class U> static void set(T &target, U value) {
  if (value != 0)
    target = value;
}

static Executor executorOf(const kexpr_executor &given) {
  return {given.run, given.context, given.threads};
}

static std::string text(const char *given) { return given ? given : ""; }

static Expected<ListenerOptions>
listenersOf(const kexpr_engine_options &known) {
  constexpr std::uint32_t all = KEXPR_LISTENER_PERF_MAP |
                                KEXPR_LISTENER_JITDUMP | KEXPR_LISTENER_GDB |
                                KEXPR_LISTENER_VTUNE;
  const std::uint32_t given = known.listeners;
  if ((given & ~all) != 0)
    return invalid(concat("listeners is ", given, "; it must be 0 to ", all));
  return ListenerOptions{.perfMap = (given & KEXPR_LISTENER_PERF_MAP) != 0,
                         .jitDump = (given & KEXPR_LISTENER_JITDUMP) != 0,
                         .debugger = (given & KEXPR_LISTENER_GDB) != 0,
                         .vtune = (given & KEXPR_LISTENER_VTUNE) != 0,
                         .directory = text(known.profile_directory)};
}

Expected<EngineOptions> capi::optionsOf(const kexpr_engine_options *given) {
  auto known = read(given, "kexpr_engine_options");
  if (!known)
    return known.error();
  EngineOptions options;
  options.cpu = text(known->cpu);
  options.features = text(known->features);
  options.vectorBits = known->vector_bits;
  options.warmUp = known->warm_up;
  set(options.maxKernels, known->max_kernels);
  set(options.maxCodeBytes, known->max_code_bytes);
  options.cacheDirectory = text(known->cache_directory);
  set(options.maxDiskBytes, known->max_disk_bytes);
  auto listeners = listenersOf(*known);
  if (!listeners)
    return listeners.error();
  options.listeners = std::move(*listeners);
  options.dumpDirectory = text(known->dump_directory);
  options.log = text(known->log);
  if (known->log_sink)
    options.logSink = [sink = known->log_sink,
                       context = known->log_context](std::string_view line) {
      sink(context, std::string(line).c_str());
    };
  options.executor = executorOf(known->executor);
  options.aheadDirectory = text(known->ahead_directory);
  return options;
}

Expected<ParseLimits> capi::optionsOf(const kexpr_parse_limits *given) {
  auto known = read(given, "kexpr_parse_limits");
  if (!known)
    return known.error();
  ParseLimits limits;
  set(limits.maxLength, known->max_length);
  set(limits.maxDepth, known->max_depth);
  set(limits.maxNodes, known->max_nodes);
  set(limits.maxOperands, known->max_operands);
  set(limits.maxLiterals, known->max_literals);
  return limits;
}

/// Sets the options that compilations and graphs have in common.
template <class Options, class Known>
static Status setMode(Options &options, const Known &known) {
  auto status = set(options.mode, known.mode, Mode::Tiered, "mode");
  return status ? set(options.precision, known.precision, Precision::Fast,
                      "precision")
                : status;
}

static Status readOperands(const kexpr_compile_options &known,
                           CompileOptions &options) {
  if (!known.operand_types && known.operand_type_count > 0)
    return isNull("kexpr_compile_options.operand_types");
  if (!known.zero_dim_operands && known.zero_dim_operand_count > 0)
    return isNull("kexpr_compile_options.zero_dim_operands");
  options.operandTypes.reserve(known.operand_type_count);
  for (std::size_t i = 0; i < known.operand_type_count; ++i) {
    const kexpr_dtype type = known.operand_types[i];
    if (kexpr_dtype_size(type) == 0)
      return invalid(concat("the type of operand @", i, " is ", type,
                            ", which is no element type"));
    options.operandTypes.push_back(static_cast<DType>(type));
  }
  options.zeroDimOperands.assign(known.zero_dim_operands,
                                 known.zero_dim_operands +
                                     known.zero_dim_operand_count);
  return {};
}

Expected<std::vector<std::string>>
capi::namesOf(const char *const *names, std::size_t count, const char *what) {
  if (!names && count > 0)
    return isNull(what);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (!names[i])
      return isNull(concat("the name of operand ", i).c_str());
    all.emplace_back(names[i]);
  }
  return all;
}

/// What infix text is read by.
static Status readInfix(const kexpr_compile_options &known,
                        CompileOptions &options) {
  if (auto status = set(options.syntax, known.syntax, Syntax::Infix, "syntax");
      !status)
    return status;
  if (auto status = set(options.semantics, known.semantics, Semantics::Numpy,
                        "semantics");
      !status)
    return status;
  auto names = namesOf(known.operand_names, known.operand_name_count,
                       "kexpr_compile_options.operand_names");
  if (!names)
    return names.error();
  options.operandNames = std::move(*names);
  if (!known.number_operands && known.number_operand_count > 0)
    return isNull("kexpr_compile_options.number_operands");
  options.numberOperands.assign(known.number_operands,
                                known.number_operands +
                                    known.number_operand_count);
  return {};
}

Expected<CompileOptions> capi::optionsOf(const kexpr_compile_options *given) {
  auto known = read(given, "kexpr_compile_options");
  if (!known)
    return known.error();
  CompileOptions options;
  if (auto status = setMode(options, *known); !status)
    return status.error();
  if (auto status = readOperands(*known, options); !status)
    return status.error();
  if (auto status = readInfix(*known, options); !status)
    return status.error();
  auto limits = optionsOf(known->limits);
  if (!limits)
    return limits.error();
  options.limits = *limits;
  return options;
}

Expected<RunOptions> capi::optionsOf(const kexpr_run_options *given) {
  if (!given)
    return RunOptions();
  auto known = read(given, "kexpr_run_options");
  if (!known)
    return known.error();
  RunOptions options;
  options.maxThreads = known->max_threads;
  options.tileElements = known->tile_elements;
  if (auto status =
          set(options.stores, known->stores, Stores::Streamed, "stores");
      !status)
    return status.error();
  options.stayAwake = std::chrono::microseconds(
      std::max<std::int64_t>(known->stay_awake_us, 0));
  options.executor = executorOf(known->executor);
  options.interrupt = {known->interrupt.ask, known->interrupt.context};
  return options;
}

kexpr_run_options capi::optionsOf(const RunOptions &options) {
  const Executor &host = options.executor;
  return {.size = sizeof(kexpr_run_options),
          .max_threads = options.maxThreads,
          .stores = static_cast<std::int32_t>(options.stores),
          .tile_elements = options.tileElements,
          .stay_awake_us = options.stayAwake.count(),
          .executor = {host.run, host.context, host.threads},
          .interrupt = {options.interrupt.ask, options.interrupt.context}};
}

Expected<GraphOptions> capi::optionsOf(const kexpr_graph_options *given) {
  auto known = read(given, "kexpr_graph_options");
  if (!known)
    return known.error();
  GraphOptions options;
  if (auto status = setMode(options, *known); !status)
    return status.error();
  options.fuse = !known->no_fuse;
  options.reuseMemory = !known->no_reuse;
  options.prepare = known->prepare;
  if (!known->extra_outputs && known->extra_output_count > 0)
    return isNull("kexpr_graph_options.extra_outputs");
  for (std::size_t i = 0; i < known->extra_output_count; ++i) {
    if (!known->extra_outputs[i])
      return isNull(concat("the name of extra output ", i).c_str());
    options.extraOutputs.emplace_back(known->extra_outputs[i]);
  }
  return options;
}
