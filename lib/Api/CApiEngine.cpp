//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"

using namespace kexpr;
using namespace kexpr::capi;

const char *kexpr_version() { return KEXPR_VERSION; }

kexpr_code kexpr_engine_create(const kexpr_engine_options *options,
                               kexpr_engine **engine, kexpr_error **error) {
  return make(engine, error, {}, [&]() -> Expected<Engine> {
    auto read = optionsOf(options);
    if (!read)
      return read.error();
    Engine made(*read);
    // Every status of an engine that there was no memory for is OutOfMemory.
    const Status log = made.logStatus();
    if (!log && log.error().code() == ErrorCode::OutOfMemory)
      return log.error();
    return made;
  });
}

void kexpr_engine_free(kexpr_engine *engine) { delete engine; }

/// The kernel of a text or an expression.
template <class T>
static Expected<Kernel> compile(const kexpr_engine &engine, const T &source,
                                const kexpr_compile_options *options) {
  auto read = optionsOf(options);
  if (!read)
    return read.error();
  return engine.object.compile(source, *read);
}

kexpr_code kexpr_engine_compile(const kexpr_engine *engine, const char *text,
                                const kexpr_compile_options *options,
                                kexpr_kernel **kernel, kexpr_error **error) {
  return make(kernel, error, {{engine, "the engine"}, {text, "the text"}}, [&] {
    return compile(*engine, std::string_view(text), options);
  });
}

kexpr_code kexpr_engine_compile_expression(const kexpr_engine *engine,
                                           const kexpr_expression *expression,
                                           const kexpr_compile_options *options,
                                           kexpr_kernel **kernel,
                                           kexpr_error **error) {
  return make(kernel, error,
              {{engine, "the engine"}, {expression, "the expression"}},
              [&] { return compile(*engine, expression->object, options); });
}

void kexpr_engine_settle(const kexpr_engine *engine) {
  ask(engine, 0, [](const Engine &asked) {
    asked.settle();
    return 0;
  });
}

static kexpr_code statusOf(const kexpr_engine *engine, kexpr_error **error,
                           Status (Engine::*status)() const) {
  return attempt(error, {{engine, "the engine"}},
                 [&] { return (engine->object.*status)(); });
}

kexpr_code kexpr_engine_code_status(const kexpr_engine *engine,
                                    kexpr_error **error) {
  return statusOf(engine, error, &Engine::codeStatus);
}

kexpr_code kexpr_engine_cache_status(const kexpr_engine *engine,
                                     kexpr_error **error) {
  return statusOf(engine, error, &Engine::cacheStatus);
}

kexpr_code kexpr_engine_listener_status(const kexpr_engine *engine,
                                        kexpr_error **error) {
  return statusOf(engine, error, &Engine::listenerStatus);
}

kexpr_code kexpr_engine_dump_status(const kexpr_engine *engine,
                                    kexpr_error **error) {
  return statusOf(engine, error, &Engine::dumpStatus);
}

kexpr_code kexpr_engine_log_status(const kexpr_engine *engine,
                                   kexpr_error **error) {
  return statusOf(engine, error, &Engine::logStatus);
}

const char *kexpr_engine_target_cpu(const kexpr_engine *engine) {
  return ask(engine, "", [](const Engine &asked) {
    const std::string_view cpu = asked.targetCpu();
    return cpu.empty() ? "" : cpu.data();
  });
}

uint32_t kexpr_engine_vector_bits(const kexpr_engine *engine) {
  return ask(engine, std::uint32_t{0}, &Engine::vectorBits);
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
  return attempt(error, {{engine, "the engine"}}, [&] {
    return write(recordOf(engine->object.stats()), stats, "kexpr_stats");
  });
}
