//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Files.h"
#include "TestUtil/Models.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace kexpr;
using namespace kexpr::test;

/// A model whose attribute is entry `op.k`.
static std::string attributeModel(const std::string &shape) {
  return "7767517\n1 0\nt op 0 0 @k=" + shape + "\n";
}

/// The message about a file of this entry for an attribute of this shape.
static std::string messageOf(const std::string &shape, ZipEntry entry) {
  const auto model = parseModel(attributeModel(shape),
                                ZipWriter(true).write({std::move(entry)}));
  EXPECT_EQ(problemOf(model), "");
  return model ? "" : model.error().message();
}

/// What is said of an archive of entry `op.k`, four bytes, whose directory has
/// another byte at `at`.
static std::string messageWith(std::size_t at, char byte) {
  auto bin = ZipWriter(false).write({{"op.k", "1234"}});
  bin[bin.find("PK\1\2") + at] = byte;
  const auto model = parseModel(attributeModel("(4)u8"), bin);
  EXPECT_EQ(problemOf(model), "");
  return model ? "" : model.error().message();
}

TEST(Weights, AreReadFromOldAndNewArchives) {
  for (const bool zip64 : {false, true}) {
    const auto model = parseModel(SampleParam, sampleBin(zip64));
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(problemOf(*model), "");
    const PnnxOperator &op = model->operators()[3];
    const TensorView *weight = op.attribute("weight");
    ASSERT_TRUE(weight);
    EXPECT_EQ(weight->shape(), (Shape{2, 4}));
    EXPECT_EQ(weight->type(), DType::F32);
    EXPECT_EQ(op.attribute("bias")->type(), DType::F16);
    const auto *bytes = static_cast<const unsigned char *>(weight->data());
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(bytes[i], i + 1);
  }
}

TEST(Weights, AreRefusedIfCompressedOrEncrypted) {
  EXPECT_EQ(messageWith(8, 0), "");
  EXPECT_EQ(messageWith(8, 1), "entry 'op.k' of m is encrypted");
  EXPECT_EQ(messageWith(10, 8), "entry 'op.k' of m is compressed; PNNX stores "
                                "entries as they are");
}

TEST(Weights, OfDamagedArchivesAreRefused) {
  for (const bool zip64 : {false, true}) {
    const auto bin = ZipWriter(zip64).write({{"op.k", "1234"}});
    const auto parse = [](const std::string &bytes) {
      return parseModel(attributeModel("(4)u8"), bytes);
    };
    ASSERT_TRUE(parse(bin));
    for (std::size_t bytes = 0; bytes < bin.size(); ++bytes)
      EXPECT_FALSE(parse(bin.substr(0, bytes))) << bytes;
    // Every byte, and numbers that are far too large.
    for (std::size_t at = 0; at < bin.size(); ++at)
      for (const char byte : {'\0', '\1', '\x7f', '\xff'}) {
        std::string other = bin;
        other[at] = byte;
        const auto model = parse(other);
        EXPECT_EQ(problemOf(model), "") << at;
        if (model) {
          const auto *view = model->operators()[0].attribute("k");
          EXPECT_EQ(std::memcmp(view->data(), "1234", 4), 0) << at;
        }
      }
    // What comes behind the archive is no comment of it.
    EXPECT_FALSE(parse(bin + "x"));
  }
}

TEST(Weights, MayBeEmpty) {
  for (const bool zip64 : {false, true}) {
    const auto bin = ZipWriter(zip64).write({{"op.k", ""}});
    const auto model = parseModel(attributeModel("(0,9)f32"), bin);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_FALSE(model->operators()[0].attribute("k")->empty());
    EXPECT_TRUE(parseModel("7767517\n0 0", ZipWriter(zip64).write({})));
  }
}

TEST(Weights, OfRankZeroAreOneElement) {
  const auto bin = ZipWriter(true).write({{"op.k", "1234"}});
  const auto model = parseModel(attributeModel("()f32"), bin);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->operators()[0].attribute("k")->shape(), Shape{});
}

TEST(Weights, ErrorsNameTheEntry) {
  EXPECT_EQ(messageOf("(3)f32", {"op.l", "12"}),
            "entry 'op.k' of m is missing");
  EXPECT_EQ(messageOf("(3)f32", {"op.k", "12"}),
            "entry 'op.k' of m has 2 bytes; its shape needs 12");
  EXPECT_EQ(messageOf("(1)u8", {"op.k", "12"}),
            "entry 'op.k' of m has 2 bytes; its shape needs 1");
  EXPECT_EQ(messageOf("(288230376151711744)f64", {"op.k", ""}),
            "entry 'op.k' of m has 0 bytes; its shape needs "
            "2305843009213693952");
  EXPECT_EQ(messageOf("(2)u8", {"op.k", "12"}), "");
}

TEST(Weights, AreChecked) {
  auto bin = ZipWriter(false).write({{"op.k", "some bytes"}});
  ASSERT_TRUE(parseModel(attributeModel("(10)u8"), bin));
  bin[bin.find("some bytes")] ^= 1;
  const auto model = parseModel(attributeModel("(10)u8"), bin);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(), "entry 'op.k' of m: CRC error");
}

TEST(Weights, TakeNoMoreMemoryThanTheFileCanFill) {
  // Sizes in the directory are patched to what the file does not have.
  for (const char *type : {"(1000000000)u8", "(4294967294)u8"}) {
    const std::uint64_t claimed = std::stoull(type + 1);
    auto bin = ZipWriter(false).write({{"op.k", "some bytes"}});
    const std::size_t sizes = bin.find("PK\1\2") + 20;
    bin.replace(sizes, 8, littleEndian(claimed, 4) + littleEndian(claimed, 4));
    const auto model = parseModel(attributeModel(type), bin);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message(),
              "entry 'op.k' of m is longer than what the file has for it");
  }
}

TEST(Weights, ComeFromFiles) {
  const TemporaryDirectory directory;
  const auto param = directory.path("a.param"), bin = directory.path("a.bin");
  writeFile(param, std::string(SampleParam));
  writeFile(bin, sampleBin(true));
  const auto model = PnnxModel::load(param, bin);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(problemOf(*model), "");
  EXPECT_EQ(PnnxModel::load(param).error().message(),
            "line 4 of " + param +
                ": entry 'scale.data' is needed, but there is no .bin file");
  writeFile(bin, sampleBin(true).substr(9));
  const auto damaged = PnnxModel::load(param, bin);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code(), ErrorCode::InvalidSyntax);
  EXPECT_NE(damaged.error().message().find(bin), std::string::npos);
}

TEST(Weights, FilesThatCannotBeReadAreNamed) {
  const TemporaryDirectory directory;
  const auto param = directory.path("a.param"), none = directory.path("none");
  writeFile(param, "7767517\n0 0\n");
  for (const auto &[first, second] :
       {std::pair{none, std::string()}, std::pair{directory.path(), none},
        std::pair{param, none}, std::pair{param, directory.path()},
        std::pair{param, std::string("/dev/zero")},
        std::pair{std::string("/dev/zero"), none}}) {
    const auto model = PnnxModel::load(first, second);
    ASSERT_FALSE(model) << first << second;
    EXPECT_EQ(model.error().code(), ErrorCode::Io) << model.error().message();
    const std::string &culprit = first == param ? second : first;
    EXPECT_TRUE(model.error().message().starts_with(culprit + ": "))
        << model.error().message();
  }
  EXPECT_TRUE(PnnxModel::load(param));
}
