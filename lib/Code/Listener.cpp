//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Listener.h"

#include <algorithm>
#include <new>

using namespace kexpr;
using namespace kexpr::code;

std::string NamedCode::name() const {
  std::string name = symbols.name;
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return name;
}

std::vector<CodeLocation> NamedCode::lines() const {
  std::vector<CodeLocation> result;
  for (const CodeLocation &line : symbols.lines)
    if (line.offset < bytes.size() &&
        (result.empty() || line.offset >= result.back().offset))
      result.push_back(line);
  return result;
}

Status Listener::status() const {
  std::lock_guard lock(mutex);
  return fault ? Status(*fault) : Status();
}

void Listener::note(Error error) {
  std::lock_guard lock(mutex);
  if (!fault)
    fault = std::move(error);
}

Announcements Listeners::announce(const NamedCode &code) const {
  Announcements made;
  try {
    made.reserve(all.size());
    for (const auto &listener : all)
      if (auto announcement = listener->announce(code))
        made.push_back(std::move(announcement));
  } catch (const std::bad_alloc &) {
  }
  return made;
}

Status Listeners::status() const {
  for (const auto &listener : all)
    if (auto status = listener->status(); !status)
      return status;
  return {};
}
