//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A host that knows nothing of kexpr but by its plugins:
///
///     PluginHost reload ROUNDS QUEUES LEAKS PLUGIN...
///     PluginHost together QUEUES LEAKS LIBRARY-OR-PLUGIN...
///     PluginHost namespace PLUGIN
///     PluginHost begin WHAT MICROSECONDS PLUGIN
///     PluginHost beside PLUGIN OTHER
///
/// loads, uses and unloads each in turns; loads all, globally, and uses those
/// that are plugins; uses one in a namespace of its own; loads one that begins
/// with something, and unloads it after a time; uses one while another that
/// begins late is being loaded. It ends with 0, or 5 where a library cannot be
/// loaded.
///
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using UsePlugin = int(bool queues, bool leaks, bool isAlone);

static void *load(const char *path, int flags) {
  void *const library = dlopen(path, RTLD_NOW | flags);
  if (!library) {
    std::puts(dlerror());
    std::exit(5);
  }
  return library;
}

/// Null for what is no plugin.
static UsePlugin *entryOf(void *library) {
  return reinterpret_cast<UsePlugin *>(dlsym(library, "usePlugin"));
}

/// Ends the process where a plugin finds something wrong.
static void use(UsePlugin *entry, bool queues, bool leaks,
                bool isAlone = false) {
  if (const int status = entry ? entry(queues, leaks, isAlone) : 0; status != 0)
    std::exit(status);
}

static void reload(int rounds, bool queues, bool leaks,
                   const std::vector<const char *> &paths) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<void *> libraries;
    for (const char *path : paths)
      libraries.push_back(load(path, RTLD_LOCAL));
    for (void *library : libraries)
      use(entryOf(library), queues, leaks);
    usleep(static_cast<unsigned>(round * 3001 % 20000));
    for (void *library : libraries)
      dlclose(library);
    usleep(static_cast<unsigned>(round * 1009 % 5000));
  }
}

/// Forks, and uses all in the children. Copies of kexpr may have one LLVM, of
/// which each is told when the process forks.
static void useInChildren(const std::vector<UsePlugin *> &entries, bool queues,
                          bool leaks) {
  constexpr int count = 4;
  const std::clock_t before = std::clock();
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (UsePlugin *entry : entries)
        use(entry, queues, leaks);
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
      std::exit(6);
  }
  // Of this process alone: a fork that waits for itself uses what it waits.
  if (std::clock() - before > count * CLOCKS_PER_SEC / 4)
    std::exit(7);
}

static void useTogether(bool queues, bool leaks,
                        const std::vector<const char *> &paths) {
  std::vector<std::thread> threads;
  std::vector<UsePlugin *> entries;
  for (const char *path : paths) {
    entries.push_back(entryOf(load(path, RTLD_GLOBAL)));
    threads.emplace_back([entry = entries.back(), queues, leaks] {
      for (int i = 0; i < 5; ++i)
        use(entry, queues, leaks);
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  useInChildren(entries, queues, leaks);
}

static void useInNamespaces(const char *path) {
  for (int round = 0; round < 3; ++round) {
    void *const library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    if (!library && round > 0)
      return; // The loader has room for few.
    if (!library) {
      std::puts(dlerror());
      std::exit(5);
    }
    // No threads: glibc 2.36 loses locks of its loader where a namespace that
    // is not the program's starts one.
    use(entryOf(library), false, false, true);
    dlclose(library);
  }
}

static void begin(const char *what, unsigned time, const char *path) {
  setenv("PLUGIN_BEGINS", what, 1);
  void *const library = load(path, RTLD_LOCAL);
  usleep(time);
  dlclose(library);
}

static void useBeside(const char *path, const char *other) {
  // Without LLVM, but with all else that is had once.
  setenv("PLUGIN_BEGINS", "interpreted", 1);
  UsePlugin *const entry = entryOf(load(path, RTLD_LOCAL));
  setenv("PLUGIN_BEGINS", "late", 1);
  std::thread loader([other] { load(other, RTLD_LOCAL); });
  usleep(50000);
  use(entry, true, false);
  loader.join();
}

int main(int argc, char **argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  const auto isSet = [&](int i) { return std::atoi(argv[i]) != 0; };
  if (what == "reload" && argc > 5)
    reload(std::atoi(argv[2]), isSet(3), isSet(4), {argv + 5, argv + argc});
  else if (what == "together" && argc > 4)
    useTogether(isSet(2), isSet(3), {argv + 4, argv + argc});
  else if (what == "namespace")
    useInNamespaces(argv[2]);
  else if (what == "begin" && argc > 4)
    begin(argv[2], static_cast<unsigned>(std::atoi(argv[3])), argv[4]);
  else if (what == "beside" && argc > 3)
    useBeside(argv[2], argv[3]);
  else
    return 64;
  return 0;
}
