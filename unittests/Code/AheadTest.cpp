//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Ahead.h"
#include "Code/Features.h"
#include "TestUtil/Files.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using kexpr::test::TemporaryDirectory;

static const std::string Own(ownArchitecture());
static const std::string Other(Own == X86 ? Arm : X86);

static Image aheadImage(char content) { return {.bytes = {content, 0, 0, 0}}; }

static std::string contentsOf(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(AheadTarget, IsReadBack) {
  for (const AheadTarget &target :
       {AheadTarget{"x86_64", 256, 512, 256, 0, {"avx2", "fma"}, "haswell"},
        AheadTarget{"aarch64", 128, 128, 128, 0, {}, "generic"}}) {
    const auto read = AheadTarget::parse(target.str());
    ASSERT_TRUE(read) << target.str();
    EXPECT_EQ(read->str(), target.str());
    EXPECT_EQ(read->features, target.features);
    EXPECT_EQ(read->cpu, target.cpu);
  }
}

TEST(AheadTarget, OtherTextIsNone) {
  for (const char *text :
       {"", " ", "x86_64", "x86_64 256 avx2 haswell",
        "x86_64 a,b,256,0 avx2 haswell", "x86_64 256,512,256,0  haswell",
        "x86_64 256,99999999999,256,0 avx2 haswell",
        "x86_64 256,512,0 avx2 haswell", "x86_64 0256,512,256,0 avx2 haswell"})
    EXPECT_FALSE(AheadTarget::parse(text)) << text;
}

TEST(AheadTarget, SaysWhatIsMissing) {
  const auto foreign =
      AheadTarget{Other, 128, 128, 128, 0, {}, "any"}.runsHere();
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(foreign.error().message().find(Other), std::string::npos);
  const auto lacking =
      AheadTarget{Own, 128, 128, 128, 0, {"flight"}, "falcon"}.runsHere();
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().message(),
            "code for 'falcon' needs 'flight', which "
            "this machine does not have");
  EXPECT_TRUE((AheadTarget{Own, 128, 128, 128, 0, {}, "any"}.runsHere()));
}

TEST(AheadCache, IsNullWhereNothingWasMade) {
  const TemporaryDirectory folder;
  const auto opened = AheadCache::open(*Directory::open(folder.path()));
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, nullptr);
}

TEST(AheadCache, FindsTheCodeOfMostFeatures) {
  const TemporaryDirectory folder;
  const auto directory = *Directory::open(folder.path());
  const std::string extension(featuresOf(Own)[0].name);
  const std::string have[] = {extension};
  if (!missingHere(have).empty())
    GTEST_SKIP() << kexpr::test::skips::NoSuchMachine;
  const auto plain =
      AheadCache::create(directory, {Own, 128, 128, 128, 0, {}, "any"});
  const auto rich = AheadCache::create(
      directory, {Own, 128, 128, 128, 0, {extension}, "some"});
  const auto foreign =
      AheadCache::create(directory, {Other, 128, 128, 128, 0, {}, "any"});
  EXPECT_TRUE((*plain)->store("both", aheadImage(1)));
  EXPECT_TRUE((*rich)->store("both", aheadImage(2)));
  EXPECT_TRUE((*plain)->store("plain", aheadImage(3)));
  EXPECT_TRUE((*foreign)->store("foreign", aheadImage(4)));
  const auto opened = AheadCache::open(directory);
  EXPECT_EQ((*opened)->find("both")->bytes[0], 2);
  EXPECT_EQ((*opened)->find("plain")->bytes[0], 3);
  EXPECT_FALSE((*opened)->find("foreign"));
  EXPECT_EQ((*opened)->counts().hits, 2u);
  EXPECT_EQ((*opened)->counts().misses, 1u);
}

TEST(AheadCache, CodeForOthersIsRefusedWithASentence) {
  const TemporaryDirectory folder;
  const auto directory = *Directory::open(folder.path());
  ASSERT_TRUE(
      AheadCache::create(directory, {Other, 128, 128, 128, 0, {}, "any"}));
  const auto opened = AheadCache::open(directory);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(opened.error().message(),
            "none of the code that was made ahead of time runs here: code for "
            "'any' needs a machine of " +
                Other);
}

TEST(AheadCache, CodeOfAnotherVersionIsRefusedAndReplaced) {
  const TemporaryDirectory folder;
  const auto directory = *Directory::open(folder.path());
  ASSERT_TRUE(directory->replace("targets", "kexpr 1.0\n" + Own +
                                                " 128,128,128,0 - any\n"));
  const auto opened = AheadCache::open(directory);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("belongs to 'kexpr 1.0'"),
            std::string::npos);
  ASSERT_TRUE(
      AheadCache::create(directory, {Own, 128, 128, 128, 0, {}, "new"}));
  EXPECT_EQ(contentsOf(folder.path("targets")),
            sourceId() + "\n" + Own + " 128,128,128,0 - new\n");
}

TEST(AheadCache, HostileListsAreErrorsOrNothing) {
  const TemporaryDirectory folder;
  const auto directory = *Directory::open(folder.path());
  for (const std::string &rest :
       {std::string(), std::string("\n\n\n"), std::string(1000, ' '),
        std::string("x86_64\naarch64\n"), std::string("\0\0\n\xff", 4)}) {
    ASSERT_TRUE(directory->replace("targets", sourceId() + "\n" + rest));
    EXPECT_FALSE(AheadCache::open(directory)) << rest;
  }
  // What cannot be read is neither taken for no list nor written over.
  ASSERT_TRUE(directory->replace("targets", std::string(1 << 20, '\n')));
  EXPECT_EQ(AheadCache::open(directory).error().code(), ErrorCode::Io);
  ASSERT_TRUE(directory->replace("targets", sourceId() + "\n"));
  std::filesystem::permissions(folder.path("targets"),
                               std::filesystem::perms::group_write,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(AheadCache::open(directory).error().code(), ErrorCode::Io);
  EXPECT_EQ(AheadCache::create(directory, {Own, 128, 128, 128, 0, {}, "any"})
                .error()
                .code(),
            ErrorCode::Io);
}

TEST(AheadCache, WritersAtOnceLoseNoTarget) {
  const TemporaryDirectory folder;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&folder, i] {
      const auto directory = *Directory::open(folder.path());
      for (int j = 0; j < 8; ++j)
        ASSERT_TRUE(AheadCache::create(
            directory,
            {Own, 128, 128, 128, 0, {}, "cpu" + std::to_string(8 * i + j)}));
    });
  for (std::thread &writer : writers)
    writer.join();
  const std::string list = contentsOf(folder.path("targets"));
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 65);
}
