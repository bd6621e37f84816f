//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Vtune.h"

#include "Support/Fork.h"
#include "Support/Text.h"

#include <atomic>
#include <cstdlib>

#include <dlfcn.h>

using namespace kexpr;
using namespace kexpr::code;

namespace {
// The interface is that of jitprofiling.h, as Intel documents it.

enum Event : unsigned { MethodLoaded = 13, MethodUnloads = 14 };

/// A line, and where its code ends.
struct LineNumberInfo {
  unsigned end, line;
};

struct Method {
  unsigned id;
  char *name;
  void *address;
  unsigned size;
  unsigned lineCount;
  LineNumberInfo *lines;
  unsigned classId;
  char *className;
  char *sourceFile;
};

class Loaded final : public Announcement {
public:
  using Notify = int (*)(unsigned, void *);

  Loaded(Notify notify, unsigned id) : notify(notify), id(id) {}
  ~Loaded() override {
    Method method = {};
    method.id = id;
    notify(MethodUnloads, &method);
  }

private:
  Notify notify;
  unsigned id;
};
} // namespace

static std::vector<LineNumberInfo> tableOf(const NamedCode &code) {
  std::vector<LineNumberInfo> table;
  for (const CodeLocation &line : code.lines()) {
    if (!table.empty())
      table.back().end = line.offset;
    table.push_back({static_cast<unsigned>(code.bytes.size()),
                     static_cast<unsigned>(line.location.line)});
  }
  return table;
}

// Code may go after statics are gone.
static constinit Once<const std::shared_ptr<Vtune>> theVtune;

const std::shared_ptr<Vtune> &Vtune::ofProcess() {
  // What the environment says does not count in programs of raised privileges.
  return theVtune.get([] {
    const char *named = secure_getenv("INTEL_JIT_PROFILER64");
    return std::make_shared<Vtune>(named ? named : "");
  });
}

Vtune::Vtune(const std::string &library) {
  if (library.empty())
    return;
  // Never closed: it has threads of its own.
  void *opened = dlopen(library.c_str(), RTLD_LAZY);
  if (!opened) {
    note({ErrorCode::Io, concat("VTune's library is not loaded: ", dlerror())});
    return;
  }
  using InitializeFunction = unsigned();
  if (auto *initialize =
          reinterpret_cast<InitializeFunction *>(dlsym(opened, "Initialize")))
    initialize();
  notify = reinterpret_cast<NotifyFunction *>(dlsym(opened, "NotifyEvent"));
  if (!notify)
    note({ErrorCode::Io, concat("'", library,
                                "' is no library of VTune: it has no function "
                                "'NotifyEvent'")});
}

std::unique_ptr<Announcement> Vtune::announce(const NamedCode &code) {
  // Other code generators of the process count from 1000.
  static std::atomic<unsigned> lastId = 0x4b000000;
  if (!notify)
    return nullptr;
  std::string name = code.name(), path = code.symbols.path;
  std::vector<LineNumberInfo> lines = tableOf(code);
  Method method = {.id = ++lastId,
                   .name = name.data(),
                   .address = const_cast<char *>(code.bytes.data()),
                   .size = static_cast<unsigned>(code.bytes.size()),
                   .lineCount = static_cast<unsigned>(lines.size()),
                   .lines = lines.data(),
                   .classId = 0,
                   .className = nullptr,
                   .sourceFile = path.empty() ? nullptr : path.data()};
  auto loaded = std::make_unique<Loaded>(notify, method.id);
  notify(MethodLoaded, &method);
  return loaded;
}
