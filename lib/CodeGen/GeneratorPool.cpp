//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeGen/GeneratorPool.h"
#include "Support/Fork.h"

#include "Support/Text.h"

#include <map>
#include <mutex>
#include <vector>

using namespace kexpr;
using namespace kexpr::codegen;

namespace {

/// Free generators by target and level.
struct Pool {
  Mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<Generator>>> free;
  /// Free or borrowed.
  std::size_t count = 0;

  static Pool &instance();
};

} // namespace

static constinit Once<Pool> thePool;

Pool &Pool::instance() {
  return thePool.get([] { return Pool(); });
}

/// All that machine code depends on; vectors' width is said by each function.
static std::string keyOf(const Target &target, OptLevel level) {
  return concat(target.triple, ' ', target.cpu, ' ', target.features, ' ',
                static_cast<int>(level), target.isLinkedByOthers ? " far" : "");
}

void ReturnGenerator::operator()(Generator *generator) const {
  Pool &pool = Pool::instance();
  const std::lock_guard lock(pool.mutex);
  pool.free[key].emplace_back(generator);
}

std::size_t codegen::generatorCount() {
  Pool &pool = Pool::instance();
  const std::lock_guard lock(pool.mutex);
  return pool.count;
}

static Expected<std::unique_ptr<Generator>> makeOne(const Target &target,
                                                    OptLevel level) {
  auto made =
      Generator::create(target, level, llvm::CodeGenFileType::ObjectFile);
  if (made) {
    Pool &pool = Pool::instance();
    const std::lock_guard lock(pool.mutex);
    ++pool.count;
  }
  return made;
}

/// The one given back last, whose data is most likely still in the caches.
static std::unique_ptr<Generator> takeFree(const std::string &key) {
  Pool &pool = Pool::instance();
  const std::lock_guard lock(pool.mutex);
  auto found = pool.free.find(key);
  if (found == pool.free.end() || found->second.empty())
    return nullptr;
  auto taken = std::move(found->second.back());
  found->second.pop_back();
  return taken;
}

Expected<BorrowedGenerator> codegen::borrowGenerator(const Target &target,
                                                     OptLevel level) {
  std::string key = keyOf(target, level);
  auto generator = takeFree(key);
  if (!generator) {
    auto made = makeOne(target, level);
    if (!made)
      return made.error();
    generator = std::move(*made);
  }
  return BorrowedGenerator(generator.release(), {std::move(key)});
}
