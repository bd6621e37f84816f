//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Weights.h"

#include <new>

using namespace kexpr;
using namespace kexpr::pnnx;

/// Where attributes begin: at a cache line, and at a vector of any width.
static constexpr std::uint64_t Alignment = 64;

namespace {
/// Where the bytes of an attribute come from and go to.
struct Item {
  TensorView *view;
  std::string entry;
  std::uint64_t position, bytes, offset;
};
} // namespace

void FreeWeights::operator()(unsigned char *memory) const {
  ::operator delete[](memory, std::align_val_t(Alignment));
}

static Expected<std::vector<Item>> findItems(Network &network,
                                             WeightFile &file) {
  std::vector<Item> items;
  std::uint64_t offset = 0;
  for (PnnxOperator &op : network.operators)
    for (PnnxAttribute &attribute : op.attributes) {
      TensorView &view = attribute.tensor;
      if (view.empty())
        continue;
      std::string entry = op.name + "." + attribute.key;
      const std::uint64_t bytes =
          view.shape().elementCount() * sizeOf(view.type());
      auto position = file.find(entry, bytes);
      if (!position)
        return position.error();
      items.push_back({&view, std::move(entry), *position, bytes, offset});
      offset += (bytes + Alignment - 1) / Alignment * Alignment;
    }
  return items;
}

Expected<Weights> pnnx::loadWeights(Network &network, WeightFile &file) {
  auto items = findItems(network, file);
  if (!items)
    return items.error();
  const std::uint64_t bytes =
      items->empty() ? 0 : items->back().offset + items->back().bytes;
  Weights memory(static_cast<unsigned char *>(
      ::operator new[](bytes, std::align_val_t(Alignment), std::nothrow)));
  if (!memory)
    return Error(ErrorCode::OutOfMemory, "no memory for " +
                                             std::to_string(bytes) +
                                             " bytes of attributes");
  for (const Item &item : *items) {
    unsigned char *to = memory.get() + item.offset;
    if (auto status = file.read(item.position, item.entry, to, item.bytes);
        !status)
      return status.error();
    *item.view = TensorView(static_cast<const void *>(to), item.view->type(),
                            item.view->shape());
  }
  return memory;
}
