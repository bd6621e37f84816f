//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"
#include "Api/CApiOptions.h"

using namespace kexpr;
using namespace kexpr::capi;

const char *kexpr_version() { return KEXPR_VERSION; }

kexpr_code kexpr_engine_create(const kexpr_engine_options *options,
                               kexpr_engine **engine, kexpr_error **error) {
  return make(engine, error, [&]() -> Expected<Engine> {
    auto read = optionsOf(options);
    if (!read)
      return read.error();
    Engine made(*read);
    // An engine that there was no memory for says so of all that it has.
    const Status log = made.logStatus();
    if (!log && log.error().code() == ErrorCode::OutOfMemory)
      return log.error();
    return made;
  });
}

void kexpr_engine_free(kexpr_engine *engine) { delete engine; }

/// The kernel of a text or an expression.
template <class T>
static Expected<Kernel> compile(const kexpr_engine *engine, const T &source,
                                const kexpr_compile_options *options) {
  auto read = optionsOf(options);
  if (!read)
    return read.error();
  return engine->engine.compile(source, *read);
}

kexpr_code kexpr_engine_compile(const kexpr_engine *engine, const char *text,
                                const kexpr_compile_options *options,
                                kexpr_kernel **kernel, kexpr_error **error) {
  return make(kernel, error, [&]() -> Expected<Kernel> {
    if (!engine || !text)
      return isNull(engine ? "the text" : "the engine");
    return compile(engine, std::string_view(text), options);
  });
}

kexpr_code kexpr_engine_compile_expression(const kexpr_engine *engine,
                                           const kexpr_expression *expression,
                                           const kexpr_compile_options *options,
                                           kexpr_kernel **kernel,
                                           kexpr_error **error) {
  return make(kernel, error, [&]() -> Expected<Kernel> {
    if (!engine || !expression)
      return isNull(engine ? "the expression" : "the engine");
    return compile(engine, expression->expression, options);
  });
}

void kexpr_engine_settle(const kexpr_engine *engine) {
  ask(engine, 0, [](const kexpr_engine &asked) {
    asked.engine.settle();
    return 0;
  });
}

kexpr_code kexpr_engine_code_status(const kexpr_engine *engine,
                                    kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    return engine ? engine->engine.codeStatus() : isNull("the engine");
  });
}

kexpr_code kexpr_engine_cache_status(const kexpr_engine *engine,
                                     kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    return engine ? engine->engine.cacheStatus() : isNull("the engine");
  });
}

kexpr_code kexpr_engine_listener_status(const kexpr_engine *engine,
                                        kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    return engine ? engine->engine.listenerStatus() : isNull("the engine");
  });
}

kexpr_code kexpr_engine_dump_status(const kexpr_engine *engine,
                                    kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    return engine ? engine->engine.dumpStatus() : isNull("the engine");
  });
}

kexpr_code kexpr_engine_log_status(const kexpr_engine *engine,
                                   kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    return engine ? engine->engine.logStatus() : isNull("the engine");
  });
}

const char *kexpr_engine_target_cpu(const kexpr_engine *engine) {
  return ask(engine, "", [](const kexpr_engine &asked) {
    const std::string_view cpu = asked.engine.targetCpu();
    return cpu.empty() ? "" : cpu.data();
  });
}

uint32_t kexpr_engine_vector_bits(const kexpr_engine *engine) {
  return ask(engine, std::uint32_t{0}, [](const kexpr_engine &asked) {
    return asked.engine.vectorBits();
  });
}

static kexpr_stats recordOf(const EngineStats &stats) {
  return {.size = sizeof(kexpr_stats),
          .hits = stats.hits,
          .misses = stats.misses,
          .compiled = stats.compiled,
          .baseline_loops = stats.baseline.loops,
          .baseline_ns = static_cast<uint64_t>(stats.baseline.time.count()),
          .optimized_loops = stats.optimized.loops,
          .optimized_ns = static_cast<uint64_t>(stats.optimized.time.count()),
          .failed = stats.failed,
          .shared = stats.shared,
          .evictions = stats.evictions,
          .kernels = stats.kernels,
          .code_bytes = stats.codeBytes,
          .disk_hits = stats.diskHits,
          .disk_misses = stats.diskMisses,
          .disk_stored = stats.diskStored,
          .disk_failed = stats.diskFailed,
          .limited = stats.limited,
          .bytes = stats.bytes};
}

kexpr_code kexpr_engine_get_stats(const kexpr_engine *engine,
                                  kexpr_stats *stats, kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    if (!engine)
      return isNull("the engine");
    return write(recordOf(engine->engine.stats()), stats, "kexpr_stats");
  });
}
