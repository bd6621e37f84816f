//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/EngineListeners.h"

#include "Code/Debugger.h"
#include "Code/JitDump.h"
#include "Code/PerfMap.h"
#include "Code/Vtune.h"
#include "Support/Hash.h"
#include "Support/Text.h"

#include <cstdlib>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;
using semantics::Access;
using semantics::AccessPattern;
using semantics::Plan;

// What the environment says does not count in programs of raised privileges.
static std::string variable(const char *name) {
  const char *text = secure_getenv(name);
  return text ? text : "";
}

EngineListeners::EngineListeners(ListenerOptions given)
    : options(std::move(given)) {
  addWords(variable("KEXPR_LISTENERS"));
  // perf's map names functions and no lines.
  if (options.jitDump || options.debugger || options.vtune)
    openDirectory();
  if (options.perfMap)
    all.add(code::PerfMap::ofProcess());
  if (options.jitDump && directory)
    all.add(code::JitDump::in(directory));
  if (options.debugger)
    all.add(code::Debugger::ofProcess());
  if (options.vtune)
    all.add(code::Vtune::ofProcess());
}

void EngineListeners::addWords(std::string_view words) {
  const std::pair<std::string_view, bool *> switches[] = {
      {"perf-map", &options.perfMap},
      {"jitdump", &options.jitDump},
      {"gdb", &options.debugger},
      {"vtune", &options.vtune}};
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    bool isKnown = word.empty();
    for (const auto &[name, isOn] : switches)
      if (word == name || word == "all")
        isKnown = *isOn = true;
    if (!isKnown && fault)
      fault = Error(ErrorCode::InvalidArgument,
                    concat("KEXPR_LISTENERS names '", word,
                           "'; it must be a list of perf-map, jitdump, gdb, "
                           "vtune, or all"));
  }
}

/// The directory for listings if options name none; empty if there is none.
static std::string defaultDirectory() {
  if (std::string named = variable("KEXPR_PROFILE_DIR"); !named.empty())
    return named;
  // Only absolute paths count.
  if (const std::string cache = variable("XDG_CACHE_HOME");
      cache.starts_with('/'))
    return cache + "/kexpr/profile";
  if (const std::string home = variable("HOME"); home.starts_with('/'))
    return home + "/.cache/kexpr/profile";
  return {};
}

void EngineListeners::openDirectory() {
  const std::string path =
      options.directory.empty() ? defaultDirectory() : options.directory;
  if (path.empty()) {
    fault = Error(ErrorCode::Io, "no directory was named for listings, and no "
                                 "variable HOME leads to one");
    return;
  }
  auto opened = code::Directory::open(path);
  if (!opened) {
    fault = opened.error();
    return;
  }
  directory = std::move(*opened);
  directoryPath = directory->realPath();
}

/// A name that people can read, unique to the listing.
static std::string fileNameOf(const syntax::Listing &listing) {
  constexpr std::size_t most = 40;
  std::string name;
  for (char c : listing.name)
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
        (c >= 'A' && c <= 'Z'))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  name.resize(std::min(name.size(), most));
  while (name.ends_with('_'))
    name.pop_back();
  return concat(name, '-', Digest::of(listing.text).str().substr(0, 16),
                ".kexpr");
}

std::shared_ptr<const syntax::Listing>
EngineListeners::listingOf(const Expression &expression) const {
  if (all.empty())
    return nullptr;
  auto listing = std::make_shared<syntax::Listing>(syntax::list(expression));
  listing->path = fileNameOf(*listing);
  if (!directory)
    return listing;
  if (!directory->has(listing->path))
    if (auto status = directory->replace(listing->path, listing->text);
        !status) {
      std::lock_guard lock(mutex);
      if (fault)
        fault = std::move(status);
    }
  listing->path = concat(directoryPath, '/', listing->path);
  return listing;
}

Status EngineListeners::status() const {
  {
    std::lock_guard lock(mutex);
    if (!fault)
      return fault;
  }
  return all.status();
}

/// As " f16 strided"; empty for contiguous f32.
static std::string differenceOf(const Access &access) {
  std::string text;
  if (access.type != DType::F32)
    text += concat(' ', kexpr::nameOf(access.type));
  if (access.reducing || access.pattern != AccessPattern::Contiguous)
    text += concat(' ', semantics::textOf(access));
  return text;
}

static std::string differencesOf(const Plan &plan, OptLevel level) {
  std::string text;
  const auto add = [&text](std::string_view subject, std::string_view word) {
    if (!word.empty())
      text += concat(text.empty() ? "" : ", ", subject, word);
  };
  add("", level == OptLevel::Baseline ? "baseline" : "");
  if (plan.precision != Precision::Default)
    add("", ops::nameOf(plan.precision));
  add("", plan.streams ? "streamed" : "");
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    add(plan.graph.nameOfInput(i), differenceOf(plan.inputs[i]));
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    add(concat("out", i), differenceOf(plan.outputs[i]));
  constexpr std::size_t most = 80, kept = 60;
  if (text.size() > most)
    text = concat(text.substr(0, kept), "...#",
                  Digest::of(text).str().substr(0, 8));
  return text;
}

std::string runtime::nameOf(const Plan &plan, OptLevel level) {
  const std::string differences = differencesOf(plan, level);
  const std::string &name = plan.listing->name;
  return differences.empty() ? name : concat(name, " [", differences, ']');
}

Plan runtime::named(const Plan &plan, OptLevel level) {
  auto listing = std::make_shared<syntax::Listing>(*plan.listing);
  listing->name = nameOf(plan, level);
  Plan result = plan;
  result.listing = std::move(listing);
  return result;
}

std::string runtime::nameKey(const Plan &plan) {
  return plan.listing
             ? concat('\n', plan.listing->name, '\n', plan.listing->path)
             : std::string();
}
