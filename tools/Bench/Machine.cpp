//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Machine.h"

#include "Support/Text.h"
#include "kexpr/Version.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <thread>

using namespace kexpr;
using namespace kexpr::tools;

std::string tools::processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos)
        return line.substr(colon + 2);
  return "unknown";
}

unsigned tools::hardwareThreads() {
  return std::max(1u, std::thread::hardware_concurrency());
}

std::string tools::describeMachine(const Engine &engine) {
  return concat(processorName(), " (", engine.targetCpu(), "), ",
                engine.vectorBits(),
                "-bit vectors, LLVM " KEXPR_LLVM_VERSION ", ",
                hardwareThreads(), " hardware threads, kexpr " KEXPR_VERSION);
}

void tools::addMachineContext(const Engine &engine) {
  benchmark::AddCustomContext("processor", processorName());
  benchmark::AddCustomContext("target_cpu", std::string(engine.targetCpu()));
  benchmark::AddCustomContext("vector_bits",
                              std::to_string(engine.vectorBits()));
  benchmark::AddCustomContext("llvm_version", KEXPR_LLVM_VERSION);
  benchmark::AddCustomContext("hardware_threads",
                              std::to_string(hardwareThreads()));
  benchmark::AddCustomContext("kexpr_version", KEXPR_VERSION);
}
