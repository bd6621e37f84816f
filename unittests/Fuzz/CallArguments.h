//===- Fuzz/CallArguments.h - What C calls are given ------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_CALLARGUMENTS_H
#define KEXPR_UNITTESTS_FUZZ_CALLARGUMENTS_H

#include "Fuzz/Choices.h"
#include "kexpr-c/kexpr.h"

#include <cstring>

namespace kexpr::fuzz {

/// Arguments as bytes decide. What they point to lives as long as this.
class CallArguments {
public:
  explicit CallArguments(Choices &choices) : choices(choices) {}

  const char *text();
  const char *param();
  const char *name();
  /// A tensor that is empty, impossible, or within this object's memory.
  kexpr_tensor tensor();
  /// Some of them, `count` of which are meant to be there.
  const kexpr_tensor *tensors(std::size_t &count);
  const kexpr_named_tensor *namedTensors(std::size_t &count);
  /// Memory for a tensor in the place of its own: null, or with as much room.
  void *placeFor(const kexpr_tensor &tensor);

  const kexpr_engine_options *engineOptions();
  const kexpr_parse_limits *limits();
  const kexpr_compile_options *compileOptions();
  const kexpr_run_options *runOptions();
  const kexpr_graph_options *graphOptions();
  const kexpr_layer_type *layerType();

  /// Room for a structure that is written to, its size set to something.
  template <class T> T *record() {
    return choices.below(16) ? place(T{}) : nullptr;
  }
  /// Layers that were made and not destroyed.
  static int liveLayers();

private:
  static constexpr std::size_t RoomBytes = 4200;
  /// What is split over threads in tiles of few elements.
  static constexpr std::int64_t SplitElements = 300;

  /// A structure whose size may be wrong, as no or another version has it.
  template <class T> T *place(T known) {
    unsigned char *room = rooms[next++ % std::size(rooms)];
    std::memset(room, 0, RoomBytes);
    std::memcpy(room, &known, sizeof known);
    const std::size_t sizes[] = {
        sizeof known + 8, sizeof known - 8, 8, 0, 4096, 5000, ~0ull};
    const std::size_t size =
        choices.below(16) ? sizeof known : choices.oneOf(sizes);
    std::memcpy(room, &size, sizeof size);
    if (choices.below(32) == 31)
      room[sizeof known + choices.below(64)] = 1;
    return reinterpret_cast<T *>(room);
  }
  /// The same, or null.
  template <class T> const T *optional(T known) {
    return choices.below(3) ? place(known) : nullptr;
  }
  /// Mostly nothing, else one of these.
  template <class C> auto rarely(const C &odd) {
    return choices.below(16) ? std::decay_t<decltype(odd[0])>()
                             : choices.oneOf(odd);
  }
  std::int64_t number();
  std::size_t limit();
  /// Mostly none, else one that does its tasks, or not.
  kexpr_executor executor();

  Choices &choices;
  alignas(16) unsigned char rooms[8][RoomBytes];
  std::size_t next = 0;
  alignas(64) unsigned char memory[4096] = {};
  std::int64_t extents[64][KEXPR_MAX_RANK + 2];
  std::size_t nextExtents = 0;
  bool isLarge = false; ///< Whether tensors are, from the last list on.
  kexpr_tensor many[8];
  kexpr_named_tensor named[4];
  kexpr_dtype types[4];
  std::uint32_t zeroDims[4];
  const char *names[2];
  /// What an executor was given and may do again.
  struct {
    kexpr_tasks tasks;
    void *call;
  } kept = {};
};

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_CALLARGUMENTS_H
