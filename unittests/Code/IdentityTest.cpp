//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Identity.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"
#include "kexpr/Version.h"

#include <cstring>
#include <thread>

#include <elf.h>
#include <sched.h>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

/// What a process says that runs on one core only; none where it may not.
static std::string hostIdOnCore(int core) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const int code = inChild([&] {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0)
      return 1;
    const std::string &id = hostId();
    return write(ends[1], id.data(), id.size()) ==
                   static_cast<ssize_t>(id.size())
               ? 0
               : 2;
  });
  close(ends[1]);
  std::string id(10000, '\0');
  id.resize(static_cast<std::size_t>(::read(ends[0], id.data(), id.size())));
  close(ends[0]);
  EXPECT_NE(code, 2);
  return id;
}

TEST(Identity, OfTheHostIsTheSameOnEveryCoreAndInEveryProcess) {
  // Before this process asks: the answer is kept.
  std::set<std::string> seen;
  for (int core = 0; core < 64; ++core)
    if (std::string id = hostIdOnCore(core); !id.empty())
      seen.insert(std::move(id));
  seen.insert(hostId());
  EXPECT_EQ(seen.size(), 1u);
}

TEST(Identity, AnArmBoardHasEachOfItsModelsOnce) {
  const std::string little = "processor\t: 0\nFeatures\t: fp asimd\n"
                             "CPU implementer\t: 0x41\nCPU part\t: 0xd05\n",
                    big = "processor\t: 4\nFeatures\t: fp asimd\n"
                          "CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n";
  EXPECT_EQ(modelsIn(""), "");
  EXPECT_EQ(modelsIn(little), ". 0x41. 0xd05");
  EXPECT_EQ(modelsIn(little + "\n" + little), modelsIn(little));
  EXPECT_EQ(modelsIn(little + "\n" + big + "\n"),
            modelsIn(big + "\n" + little + "\n" + big));
  EXPECT_NE(modelsIn(little + "\n" + big), modelsIn(little));
}

TEST(Identity, OfTheHostIsTheSameInEveryThread) {
  std::vector<std::string> ids(8);
  std::vector<std::thread> threads;
  for (std::string &id : ids)
    threads.emplace_back([&id] { id = hostId(); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &id : ids)
    EXPECT_EQ(id, hostId());
  EXPECT_GT(hostId().size(), 20u);
  EXPECT_EQ(hostId().find('\n'), std::string::npos);
}

TEST(Identity, OfTheBuildNamesVersions) {
  EXPECT_EQ(buildId().rfind("kexpr ", 0), 0u) << buildId();
  EXPECT_NE(buildId().find("LLVM "), std::string::npos);
  EXPECT_EQ(buildId().find('\n'), std::string::npos);
  EXPECT_EQ(buildId(), buildId());
}

TEST(FileStamp, KnowsAFileFromAnother) {
  const TemporaryDirectory root;
  const std::string path = root.path("file");
  const FileStamp none = FileStamp::of(path);
  EXPECT_EQ(none.path, path);
  EXPECT_EQ(none.size, 0);
  EXPECT_EQ(none.modified, 0);
  EXPECT_FALSE(none.isStale());

  writeFile(path, "12345");
  EXPECT_TRUE(none.isStale());
  const FileStamp stamp = FileStamp::of(path);
  EXPECT_EQ(stamp.size, 5);
  EXPECT_FALSE(stamp.isStale());

  // A nanosecond is enough.
  const std::int64_t changed = stamp.modified + 1;
  const timespec times[] = {
      {0, UTIME_OMIT},
      {changed / 1000000000, static_cast<long>(changed % 1000000000)}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  if (FileStamp::of(path).modified == changed) {
    EXPECT_TRUE(stamp.isStale());
  }
  // Archives that are the same wherever they are made have files of 1970.
  const timespec zero[] = {{0, UTIME_OMIT}, {0, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), zero, 0), 0);
  EXPECT_TRUE(stamp.isStale());
  EXPECT_FALSE(FileStamp::of(path).isStale());
  std::filesystem::remove(path);
  EXPECT_FALSE(stamp.isStale());
  EXPECT_FALSE(FileStamp::of("").isStale());
}

/// An ELF file with notes alone, the last of which is a build id.
static std::string elfWithId(std::string_view id) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  const Elf64_Nhdr other = {4, 5, 1}, note = {4, Elf64_Word(id.size()), 3};
  std::string notes(reinterpret_cast<const char *>(&other), sizeof other);
  notes.append("GNU\0abcde\0\0\0", 12);
  notes.append(reinterpret_cast<const char *>(&note), sizeof note);
  notes.append("GNU\0", 4).append(id);
  Elf64_Phdr segment = {};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = notes.size();
  std::string file(reinterpret_cast<const char *>(&header), sizeof header);
  file.append(reinterpret_cast<const char *>(&segment), sizeof segment);
  return file + notes;
}

TEST(FileStamp, OfALibraryIsItsBuildId) {
  const TemporaryDirectory root;
  const std::string path = root.path("library");
  writeFile(path, elfWithId("12345678"));
  const FileStamp stamp = FileStamp::of(path);
  EXPECT_EQ(stamp.build, "12345678");
  // Installed again, with something else behind it.
  const timespec times[] = {{0, UTIME_OMIT}, {4000, 1}};
  writeFile(path, elfWithId("12345678") + "stripped");
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_FALSE(stamp.isStale());
  writeFile(path, elfWithId("12345679"));
  EXPECT_TRUE(stamp.isStale());
  writeFile(path, "no library");
  EXPECT_TRUE(stamp.isStale());
}

TEST(FileStamp, OfWhatIsCutShortHasNoBuildId) {
  const TemporaryDirectory root;
  const std::string path = root.path("library"), whole = elfWithId("12345678");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    writeFile(path, whole.substr(0, bytes));
    EXPECT_EQ(FileStamp::of(path).build, "") << bytes;
  }
}
