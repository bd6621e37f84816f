//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A library such as VTune names in INTEL_JIT_PROFILER64, which keeps what it
/// is told as text.
///
//===----------------------------------------------------------------------===//
#include <mutex>
#include <sstream>
#include <string>

namespace {
struct Line {
  unsigned end, line;
};
struct Method {
  unsigned id;
  const char *name;
  void *address;
  unsigned size, lineCount;
  const Line *lines;
  unsigned classId;
  const char *className, *sourceFile;
};
std::mutex mutex;
std::string text;
} // namespace

#define KEXPR_FAKE extern "C" __attribute__((visibility("default")))

KEXPR_FAKE unsigned Initialize() {
  text += "initialized\n";
  return 1;
}

KEXPR_FAKE int NotifyEvent(unsigned event, void *data) {
  const Method &method = *static_cast<const Method *>(data);
  std::ostringstream line;
  line << event << ' ' << (method.id >= 1000);
  if (event == 13) {
    line << ' ' << method.name << ' ' << method.address << ' ' << method.size
         << ' ' << method.sourceFile;
    for (unsigned i = 0; i < method.lineCount; ++i)
      line << ' ' << method.lines[i].end << ':' << method.lines[i].line;
  }
  std::lock_guard lock(mutex);
  text += line.str() + '\n';
  return 1;
}

KEXPR_FAKE const char *toldSoFar() { return text.c_str(); }
