//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backend/Entry.h"
#include "Backend/Use.h"
#include "Support/Fork.h"
#include "Support/Text.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::backend;

/// The library by its path, wherever the run path of whatever this code was
/// linked into has it: a bare name is another build's library where the process
/// has loaded one.
static std::vector<std::string> runPath() {
  std::vector<std::string> result;
  Dl_info self;
  Dl_serinfo size;
  void *own = dladdr(reinterpret_cast<void *>(&runPath), &self)
                  ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                  : nullptr;
  if (!own)
    own = dlopen(nullptr, RTLD_LAZY);
  if (own && dlinfo(own, RTLD_DI_SERINFOSIZE, &size) == 0) {
    const std::unique_ptr<char[]> memory(new char[size.dls_size]);
    auto *paths = new (memory.get()) Dl_serinfo(size);
    if (dlinfo(own, RTLD_DI_SERINFO, paths) == 0)
      for (unsigned i = 0; i < paths->dls_cnt; ++i)
        result.push_back(
            concat(paths->dls_serpath[i].dls_name, "/" KEXPR_BACKEND_NAME));
  }
  if (own)
    dlclose(own);
  return result;
}

/// Where to look, in order. A bare name is looked for by the dynamic linker,
/// along the run path.
static std::vector<std::string> candidates() {
  // What the environment says does not count in programs of raised privileges.
  if (const char *given = secure_getenv("KEXPR_BACKEND"))
    return {given};
  std::vector<std::string> result = runPath();
  std::erase_if(result, [](const std::string &path) {
    return access(path.c_str(), R_OK) != 0;
  });
  result.insert(result.begin(), KEXPR_BACKEND_NAME);
  result.emplace_back(KEXPR_BACKEND_DIRECTORY "/" KEXPR_BACKEND_NAME);
  return result;
}

static Expected<const Backend *> open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return Error(ErrorCode::CompileFailed, dlerror());
  auto *entry = reinterpret_cast<EntryFunction *>(dlsym(library, EntryName));
  const char *const build = code::buildId().c_str();
  Forks *forks = nullptr;
  if (const Backend *found = entry ? entry(build, forks) : nullptr) {
    addCopyToForks(*forks);
    return found;
  }
  dlclose(library);
  return Error(ErrorCode::CompileFailed,
               concat("'", path, "' does not belong to ", code::buildId()));
}

static std::atomic<const Backend *> loaded = nullptr;

namespace {
/// Has a fork wait until the library is there. Other threads that load it wait
/// for the loader alone, whose lock one of them may have: that of a plugin
/// which compiles while it is loaded. So each has a mutex of its own, which is
/// kept for the next, as those on the stack of a thread that is gone in a child
/// would be written over there.
class Loading {
public:
  Loading() : own(borrow()) { own.mutex.lock(); }
  ~Loading() {
    own.mutex.unlock();
    std::lock_guard lock(guard);
    own.next = idle;
    idle = &own;
  }
  Loading(const Loading &) = delete;
  Loading &operator=(const Loading &) = delete;

private:
  struct LoadMutex {
    Mutex mutex;
    LoadMutex *next = nullptr;
  };
  static LoadMutex &borrow() {
    std::lock_guard lock(guard);
    return idle ? *std::exchange(idle, idle->next) : *new LoadMutex;
  }

  static constinit inline Mutex guard;
  static constinit inline LoadMutex *idle = nullptr;
  LoadMutex &own;
};
} // namespace

#ifdef KEXPR_LLVM_ENDS

// LLVM's shared library adds handlers that destroy what it has to those of the
// process while it is loaded. They run before any that was there to wait for
// the load. What comes before all handlers, in the thread that ends the
// process, is the end of its own objects.

static constinit Mutex mutex;
// Guarded by the mutex.
static unsigned loads = 0;
static std::uint32_t forks = 0; ///< When they were counted.
static bool isOver = false;

/// Those in this process. Called with the mutex held.
static unsigned &loadsHere() {
  if (std::exchange(forks, forkCount()) != forkCount())
    loads = 0;
  return loads;
}

namespace {
struct ExitWait {
  ~ExitWait() {
    // A load that waits for the loader's lock may wait for this thread.
    for (int milliseconds = 0; milliseconds < 5000; ++milliseconds) {
      {
        std::lock_guard lock(mutex);
        isOver |= isMainThread();
        if (loadsHere() == 0)
          break;
      }
      usleep(1000);
    }
    if (const Backend *known = loaded.load(std::memory_order_acquire))
      known->waitAtEndOfMain();
  }
};

/// A load that the end of the process waits for; false if that has come.
class CountedLoad {
public:
  CountedLoad() {
    std::lock_guard lock(mutex);
    isCounted = !isOver || isMainThread();
    loadsHere() += isCounted;
  }
  ~CountedLoad() {
    std::lock_guard lock(mutex);
    loadsHere() -= isCounted;
  }
  CountedLoad(const CountedLoad &) = delete;
  explicit operator bool() const { return isCounted; }

private:
  bool isCounted = false;
};
} // namespace

void backend::waitAtExit() { thread_local const ExitWait atEnd; }

#else

using CountedLoad = std::true_type;
void backend::waitAtExit() {}

#endif

bool backend::isPartOfBuild() { return true; }

bool backend::isLoaded() { return loaded.load() != nullptr; }

Expected<const Backend *> backend::load() {
  if (const Backend *known = loaded.load(std::memory_order_acquire))
    return known;
  waitAtExit();
  const Loading loading;
  const CountedLoad counted;
  if (!counted)
    return Error(ErrorCode::CompileFailed, "the process is ending");
  std::string reasons;
  for (const std::string &path : candidates()) {
    auto found = open(path);
    if (found) {
      loaded.store(*found, std::memory_order_release);
      return found;
    }
    reasons += (reasons.empty() ? "" : "; ") + found.error().message();
  }
  return Error(ErrorCode::CompileFailed,
               concat("no code can be generated without LLVM: ", reasons));
}
