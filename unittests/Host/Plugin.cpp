//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A plugin that holds an engine, for `PluginHost`. Everything it has started
/// may still be at work when it is unloaded.
///
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include <unistd.h>

using namespace kexpr;

/// Texts that take milliseconds to compile.
static std::string slowText(int number) {
  std::string text = "@0";
  for (int i = 0; i < 20 + number; ++i)
    text = "add(tanh(" + text + "),exp(@0))";
  return text;
}

/// Whether one element in 400,000 or more is wrong.
static bool isWrong(const Kernel &kernel, unsigned threads = 0) {
  const std::vector<float> in(400000, 3);
  std::vector<float> out(in.size());
  const Shape shape{static_cast<std::int64_t>(in.size())};
  RunOptions options;
  options.maxThreads = threads;
  if (!kernel.run(TensorView(in.data(), shape), TensorView(out.data(), shape),
                  options))
    return true;
  for (const float value : out)
    if (value != 7)
      return true;
  return false;
}

/// Where LLVM is linked into the plugin, its static objects are made after
/// those of the plugin, and there is no code before.
#ifdef KEXPR_LLVM_IS_LATER
static constexpr bool hasCode = false;
#else
static constexpr bool hasCode = true;
#endif

namespace {
/// What is done while the plugin is loaded, as PLUGIN_BEGINS says, and undone
/// while it is unloaded.
class Beginning {
public:
  Beginning() {
    const char *const given = std::getenv("PLUGIN_BEGINS");
    const std::string_view what = given ? given : "";
    if (what.empty())
      return;
    EngineOptions options;
    options.warmUp = what == "warm";
    engine = std::make_unique<Engine>(options);
    CompileOptions how;
    how.mode = what == "late"          ? Mode::Optimized
               : what == "interpreted" ? Mode::Interpret
                                       : Mode::Tiered;
    if (what == "late") // when others wait for the loader
      usleep(100000);
    const bool isMade = hasCode || how.mode != Mode::Optimized;
    if (what != "warm" &&
        static_cast<bool>(engine->compile("add(1,mul(@0,2))", how)) != isMade)
      std::_Exit(6);
    if (what == "settled")
      engine->settle();
  }

private:
  std::unique_ptr<Engine> engine;
};
} // namespace

static const Beginning beginning;

/// 0 where all is right. What `queues` asks for is left to background threads;
/// the engine goes with the plugin, or `leaks`. It starts no thread if
/// `isAlone`.
extern "C" __attribute__((visibility("default"))) int
usePlugin(bool queues, bool leaks, bool isAlone) {
  static Engine ofPlugin;
  Engine &engine = leaks ? *new Engine : ofPlugin;
  const auto compiled = engine.compile("add(1,mul(@0,2))");
  if (!compiled || isWrong(*compiled, 1))
    return 4;
  if (isAlone)
    return 0;
  CompileOptions tiered;
  tiered.mode = Mode::Tiered;
  for (int i = 0; queues && i < 8; ++i)
    if (!engine.compile(slowText(i), tiered))
      return 2;
  const auto kernel = engine.compile("add(mul(@0,2),1)", tiered);
  return !kernel || isWrong(*kernel) || isWrong(*compiled) ? 3 : 0;
}
