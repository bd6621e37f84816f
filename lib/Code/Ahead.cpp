//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Ahead.h"

#include "Code/Features.h"
#include "Support/Text.h"

#include <algorithm>
#include <charconv>

using namespace kexpr;
using namespace kexpr::code;

/// The list of targets, and the most of it that is read.
static constexpr const char *ListName = "targets";
static constexpr std::size_t MostListBytes = 1 << 16;

static std::vector<std::string> wordsOf(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty())
    words.emplace_back(takeField(text, separator));
  return words;
}

std::string AheadTarget::str() const {
  std::string names;
  for (const std::string &feature : features)
    names.append(names.empty() ? "" : ",").append(feature);
  return concat(architecture, ' ', vectorBits, ',', heavyVectorBits, ',',
                convertingVectorBits, ',', scalableBits, ' ',
                names.empty() ? "-" : names, ' ', cpu);
}

std::optional<AheadTarget> AheadTarget::parse(std::string_view text) {
  std::string_view rest = text;
  AheadTarget target{.architecture = std::string(takeField(rest, ' '))};
  std::string_view widths = takeField(rest, ' ');
  for (unsigned *width : {&target.vectorBits, &target.heavyVectorBits,
                          &target.convertingVectorBits, &target.scalableBits}) {
    const std::string_view digits = takeField(widths, ',');
    std::from_chars(digits.data(), digits.data() + digits.size(), *width);
  }
  if (const std::string_view names = takeField(rest, ' '); names != "-")
    target.features = wordsOf(names, ',');
  target.cpu = rest;
  if (target.str() != text)
    return std::nullopt;
  return target;
}

Status AheadTarget::runsHere() const {
  if (architecture != ownArchitecture())
    return Error(
        ErrorCode::Unsupported,
        concat("code for '", cpu, "' needs a machine of ", architecture));
  if (const std::string_view missing = missingHere(features); !missing.empty())
    return Error(ErrorCode::Unsupported,
                 concat("code for '", cpu, "' needs '", missing,
                        "', which this machine does not have"));
  if (scalableBits != 0 && scalableBits != scalableBitsHere())
    return Error(ErrorCode::Unsupported,
                 concat("code for '", cpu, "' needs vectors of ", scalableBits,
                        " bits, and this machine's have ", scalableBitsHere()));
  return {};
}

namespace {
/// The list of a directory: whose code it is, a line, and the targets. The
/// lines are empty if there is no list.
struct TargetList {
  std::string sources;
  std::vector<std::string> targets = {};

  static Expected<TargetList> of(const Directory &directory) {
    if (!directory.has(ListName))
      return TargetList();
    const auto text = directory.read(ListName, MostListBytes);
    if (!text)
      return Error(ErrorCode::Io,
                   concat("'", ListName,
                          "' in the directory of code that was "
                          "made ahead of time cannot be read, or belongs to or "
                          "may be written to by other users"));
    std::string_view rest = *text;
    TargetList list{.sources = std::string(takeField(rest, '\n'))};
    list.targets = wordsOf(rest, '\n');
    return list;
  }
  bool isOurs() const { return sources == sourceId(); }
};
} // namespace

Expected<std::unique_ptr<const AheadCache>>
AheadCache::open(const std::shared_ptr<const Directory> &directory) {
  using Found = std::unique_ptr<const AheadCache>;
  const auto list = TargetList::of(*directory);
  if (!list)
    return list.error();
  if (list->sources.empty() && list->targets.empty())
    return Found();
  if (!list->isOurs())
    return Error(ErrorCode::Unsupported,
                 concat("the code that was made ahead of time belongs to '",
                        list->sources, "', not to '", sourceId(), "'"));
  std::vector<AheadTarget> targets;
  std::string reasons;
  for (const std::string &line : list->targets) {
    const auto target = AheadTarget::parse(line);
    const Status fits =
        target ? target->runsHere()
               : Status(Error(ErrorCode::InvalidArgument,
                              "its list of targets cannot be understood"));
    if (fits)
      targets.push_back(*target);
    else if (reasons.find(fits.error().message()) == std::string::npos)
      reasons.append(reasons.empty() ? "" : "; ")
          .append(fits.error().message());
  }
  if (targets.empty())
    return Error(ErrorCode::Unsupported,
                 concat("none of the code that was made ahead of time runs "
                        "here: ",
                        reasons));
  std::ranges::sort(targets, std::greater(), [](const auto &each) {
    return std::pair(each.features.size(), each.str());
  });
  std::vector<std::string> names;
  for (const AheadTarget &target : targets)
    names.push_back(target.str());
  return Found(new AheadCache(directory, std::move(names)));
}

Expected<std::unique_ptr<const AheadCache>>
AheadCache::create(const std::shared_ptr<const Directory> &directory,
                   const AheadTarget &target) {
  const std::string line = target.str();
  const auto lock = directory->lock();
  if (!lock)
    return lock.error();
  auto list = TargetList::of(*directory);
  if (!list)
    return list.error();
  // Code of another version is of no more use.
  if (!list->isOurs())
    *list = {sourceId(), {}};
  if (!std::ranges::count(list->targets, line)) {
    list->targets.push_back(line);
    // The same bytes, whoever came first.
    std::ranges::sort(list->targets);
    std::string text = list->sources + '\n';
    for (const std::string &each : list->targets)
      text += each + '\n';
    if (Status status = directory->replace(ListName, text); !status)
      return status.error();
  }
  return std::unique_ptr<const AheadCache>(new AheadCache(directory, {line}));
}

static std::string keyOf(std::string_view target, std::string_view planKey) {
  return concat("ahead\n", sourceId(), '\n', target, '\n', planKey);
}

std::optional<Image> AheadCache::find(std::string_view planKey) const {
  for (const std::string &target : targets)
    if (auto image = cache.find(keyOf(target, planKey))) {
      ++hits;
      return image;
    }
  ++misses;
  return std::nullopt;
}

Expected<std::size_t> AheadCache::store(std::string_view planKey,
                                        const Image &image) const {
  return cache.store(keyOf(targets[0], planKey), image, {});
}

DiskCache::Counts AheadCache::counts() const {
  const auto written = cache.counts();
  return {hits, misses, written.stored, written.failed};
}
