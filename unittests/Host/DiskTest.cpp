//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "TestUtil/Files.h"
#include "TestUtil/Skips.h"

#include <sys/mount.h>

using namespace kexpr;
using namespace kexpr::test;

// Directories that are full, cannot be written, or are not there.

namespace {
/// A file system in memory; `isMounted` says whether there is one.
class SmallDisk {
public:
  SmallDisk(const std::string &path, const std::string &options,
            unsigned long flags = 0)
      : path(path) {
    std::filesystem::create_directories(path);
    isMounted =
        mount("none", path.c_str(), "tmpfs", flags, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (isMounted)
      umount2(path.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk &) = delete;
  SmallDisk &operator=(const SmallDisk &) = delete;
  bool isMounted;

private:
  const std::string path;
};

/// Compiles with everything that writes below a directory.
void compileIn(const std::string &path) {
  EngineOptions options;
  options.cacheDirectory = path + "/cache";
  options.dumpDirectory = path + "/dump";
  options.listeners.jitDump = true;
  options.listeners.directory = path + "/profile";
  const Engine engine(options);
  for (const Mode mode : AllModes)
    EXPECT_TRUE(works(engine, 2, mode)) << nameOfMode(mode);
  engine.settle();
  EXPECT_TRUE(works(engine, 3, Mode::Optimized));
  (void)engine.cacheStatus();
  (void)engine.listenerStatus();
  (void)engine.dumpStatus();
}

class Disk : public testing::Test {
protected:
  const TemporaryDirectory directory;
  const std::string path = directory.path("disk");
};
} // namespace

TEST_F(Disk, Full) {
  for (const char *size :
       {"size=4k", "size=16k", "nr_inodes=2", "nr_inodes=6"}) {
    const SmallDisk disk(path, std::string(size) + ",mode=700");
    if (!disk.isMounted)
      GTEST_SKIP() << kexpr::test::skips::NoMount;
    EXPECT_TRUE(endsWell([&] { compileIn(path); })) << size;
  }
}

TEST_F(Disk, ReadOnly) {
  const SmallDisk disk(path, "mode=700", MS_RDONLY);
  if (!disk.isMounted)
    GTEST_SKIP() << kexpr::test::skips::NoMount;
  EXPECT_TRUE(endsWell([&] { compileIn(path); }));
}

TEST_F(Disk, ReadOnlyOnceItHasEntries) {
  const SmallDisk disk(path, "mode=700");
  if (!disk.isMounted)
    GTEST_SKIP() << kexpr::test::skips::NoMount;
  EXPECT_TRUE(endsWell([&] { compileIn(path); }));
  ASSERT_EQ(mount("none", path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, ""),
            0);
  EXPECT_TRUE(endsWell([&] { compileIn(path); }));
}

TEST_F(Disk, OfAHomeThatIsNotThere) {
  for (const std::string home :
       {"", "/nonexistent/home", "relative", "/dev/null", "/proc/1/nothing"})
    EXPECT_TRUE(endsWell([&] {
      setenv("HOME", home.c_str(), 1);
      unsetenv("XDG_CACHE_HOME");
      EngineOptions options;
      options.listeners.jitDump = true;
      const Engine engine(options);
      for (const Mode mode : AllModes)
        EXPECT_TRUE(works(engine, 2, mode)) << nameOfMode(mode);
      engine.settle();
    })) << home;
}

TEST_F(Disk, OfACacheNamedByTheEnvironment) {
  for (const std::string name : {"/dev/null", "/nonexistent/cache", "/proc",
                                 "/", "\xff\xfe", "relative/cache"})
    EXPECT_TRUE(endsWell([&] {
      ASSERT_EQ(chdir(directory.path().c_str()), 0);
      setenv("KEXPR_CACHE_DIR", name.c_str(), 1);
      setenv("KEXPR_DUMP", name.c_str(), 1);
      setenv("KEXPR_PROFILE_DIR", name.c_str(), 1);
      const Engine engine;
      for (const Mode mode : AllModes)
        EXPECT_TRUE(works(engine, 2, mode)) << nameOfMode(mode);
      engine.settle();
      (void)engine.cacheStatus();
    })) << name;
}
