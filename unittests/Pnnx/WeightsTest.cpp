//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Files.h"
#include "TestUtil/Models.h"

#include <gtest/gtest.h>

#include <zip.h>

using namespace kexpr;
using namespace kexpr::test;

/// A model whose attribute is entry `op.k`.
static std::string attributeModel(const std::string &shape) {
  return "7767517\n1 0\nt op 0 0 @k=" + shape + "\n";
}

/// The message about a file of this entry for an attribute of this shape.
static std::string messageOf(const std::string &shape, ZipEntry entry) {
  const auto model =
      parseModel(attributeModel(shape), ZipWriter(true).write({entry}));
  EXPECT_EQ(problemOf(model), "");
  return model ? "" : model.error().message();
}

/// An archive of entry `op.k`, compressed by libzip.
static std::string compress(const std::string &path, const std::string &bytes,
                            int method, int encryption = ZIP_EM_NONE) {
  zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  zip_source_t *source =
      zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const zip_int64_t entry = zip_file_add(archive, "op.k", source, 0);
  zip_set_file_compression(archive, entry, method, 0);
  if (encryption != ZIP_EM_NONE)
    zip_file_set_encryption(archive, entry, encryption, "secret");
  EXPECT_EQ(zip_close(archive), 0);
  return readFile(path);
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

TEST(Weights, AreReadFromCompressedArchives) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("a.bin");
  std::string bytes(40000, '\0');
  bytes[39999] = 7;
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const auto model = parseModel(attributeModel("(100,400)u8"),
                                  compress(path, bytes, method));
    ASSERT_TRUE(model) << model.error().message();
    const TensorView &view = *model->operators()[0].attribute("k");
    EXPECT_EQ(static_cast<const char *>(view.data())[39999], 7);
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
    EXPECT_EQ(problemOf(parseModel(attributeModel(type), bin)), "");
    EXPECT_FALSE(parseModel(attributeModel(type), bin));
    // Said to be deflated from ten bytes.
    bin.replace(sizes, 4, littleEndian(10, 4));
    bin[sizes - 10] = 8;
    const auto model = parseModel(attributeModel(type), bin);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message(),
              "entry 'op.k' of m is longer than what the file has for it");
  }
}

TEST(Weights, AreRefusedIfEncrypted) {
  const TemporaryDirectory directory;
  const auto bin =
      compress(directory.path("a.bin"), "1234", ZIP_CM_STORE, ZIP_EM_AES_128);
  const auto model = parseModel(attributeModel("(4)u8"), bin);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message().find("entry 'op.k' of m"),
            std::string::npos)
      << model.error().message();
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
