//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiOptions.h"
#include "Support/Fork.h"

#include <new>
#include <vector>

using namespace kexpr;
using namespace kexpr::capi;

const char *kexpr_tier_name(int32_t tier) {
  return tier >= KEXPR_TIER_INTERPRETER && tier <= KEXPR_TIER_OPTIMIZED
             ? nameOf(static_cast<Tier>(tier)).data()
             : "?";
}

int32_t kexpr_kernel_tier(const kexpr_kernel *kernel) {
  return ask(kernel, std::int32_t{KEXPR_TIER_INTERPRETER},
             [](const kexpr_kernel &asked) { return asked.kernel.tier(); });
}

int32_t kexpr_kernel_precision(const kexpr_kernel *kernel) {
  return ask(
      kernel, std::int32_t{KEXPR_PRECISION_DEFAULT},
      [](const kexpr_kernel &asked) { return asked.kernel.precision(); });
}

const void *kexpr_kernel_code_address(const kexpr_kernel *kernel) {
  return ask(
      kernel, static_cast<const void *>(nullptr),
      [](const kexpr_kernel &asked) { return asked.kernel.codeAddress(); });
}

size_t kexpr_kernel_code_size(const kexpr_kernel *kernel) {
  return ask(kernel, std::size_t{0},
             [](const kexpr_kernel &asked) { return asked.kernel.codeSize(); });
}

uint32_t kexpr_kernel_operations_per_element(const kexpr_kernel *kernel) {
  return ask(kernel, std::uint32_t{0}, [](const kexpr_kernel &asked) {
    return asked.kernel.operationsPerElement();
  });
}

kexpr_code kexpr_kernel_get_compile_times(const kexpr_kernel *kernel,
                                          kexpr_compile_times *times,
                                          kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    if (!kernel)
      return isNull("the kernel");
    const CompileTimes all = kernel->kernel.compileTimes();
    auto ns = [](std::chrono::nanoseconds time) {
      return static_cast<std::uint64_t>(time.count());
    };
    const kexpr_compile_times record = {sizeof record,   ns(all.parse),
                                        ns(all.plan),    ns(all.emit),
                                        ns(all.codegen), ns(all.link)};
    return write(record, times, "kexpr_compile_times");
  });
}

const char *kexpr_stage_name(int32_t stage) {
  return stage >= 0 && stage < static_cast<int32_t>(StageCount)
             ? nameOf(static_cast<Stage>(stage)).data()
             : "?";
}

kexpr_code kexpr_stage_parse(const char *name, int32_t *stage,
                             kexpr_error **error) {
  return attempt(error, [&]() -> Status {
    if (!name || !stage)
      return isNull(name ? "the place for the result" : "the name");
    const auto parsed = parseStage(name);
    if (!parsed)
      return parsed.error();
    *stage = static_cast<int32_t>(*parsed);
    return {};
  });
}

void kexpr_text_free(kexpr_text *text) { delete text; }

const char *kexpr_text_data(const kexpr_text *text) {
  return text ? text->bytes.c_str() : "";
}

size_t kexpr_text_size(const kexpr_text *text) {
  return text ? text->bytes.size() : 0;
}

kexpr_code kexpr_kernel_dump(const kexpr_kernel *kernel, int32_t stage,
                             kexpr_text **text, kexpr_error **error) {
  return make(text, error, [&]() -> Expected<std::string> {
    if (!kernel)
      return isNull("the kernel");
    if (stage < 0 || stage >= static_cast<int32_t>(StageCount))
      return Error(ErrorCode::InvalidArgument,
                   "there is no stage " + std::to_string(stage));
    return kernel->kernel.dump(static_cast<Stage>(stage));
  });
}

/// The data of a text that is a literal, and so ends with a NUL.
static const char *literal(std::string_view text) {
  return text.empty() ? "" : text.data();
}

static constinit Once<const std::vector<kexpr_operator>> allOperators;

static const std::vector<kexpr_operator> &table() {
  return allOperators.get([] {
    const Span<const OperatorInfo> known = operators();
    // What is made here is made once: no table is better than an empty one.
    if (known.size() == 0)
      throw std::bad_alloc();
    std::vector<kexpr_operator> result;
    for (const OperatorInfo &info : known)
      result.push_back({.name = literal(info.name),
                        .aliases = literal(info.aliases),
                        .doc = literal(info.doc),
                        .types = literal(info.types),
                        .arity = info.arity,
                        .overload_arity = info.overloadArity,
                        .max_ulp = info.maxUlp,
                        .max_ulp_accurate = info.maxUlpAccurate,
                        .max_ulp_f64 = info.maxUlpF64,
                        .operations = info.operations,
                        .pnnx = info.pnnx});
    return result;
  });
}

size_t kexpr_operator_count() {
  return guardedOr(std::size_t{0}, [] { return table().size(); });
}

const kexpr_operator *kexpr_operator_at(size_t index) {
  return index < kexpr_operator_count() ? &table()[index] : nullptr;
}
