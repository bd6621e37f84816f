//===- Ops/ReductionLoops.h - Reductions over blocks of elements --------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The loops behind `loopsOf()`, compiled for each instruction set; see
/// BlockLoops.h.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_REDUCTIONLOOPS_H
#define KEXPR_OPS_REDUCTIONLOOPS_H

#include "Ops/Algebra/Scalar.h"
#include "Ops/ReductionTable.h"
#include "Ops/Reductions.h"

#include <algorithm>
#include <type_traits>

namespace kexpr::ops {

/// The loops of a reduction in each of `AllTypes`.
using ReductionRow = std::array<ReductionLoops, std::size(AllTypes)>;

/// The loops of a reduction in a form.
template <class R, DType Form, Isa I> class ReductionLoop {
  using T = Element<Form>;
  using E = typename R::template Element<T>;
  using V = Value<ScalarAlgebra<I>, E>;
  static constexpr int parts = R::template parts<T>;
  using State = Several<V, parts>;

  static State load(const E *states, std::size_t pitch) {
    State state;
    for (int p = 0; p < parts; ++p)
      state.each[p] = V{states[p * pitch]};
    return state;
  }
  static void store(E *states, std::size_t pitch, const State &state) {
    for (int p = 0; p < parts; ++p)
      states[p * pitch] = state.each[p].rep;
  }

public:
  static void reset(std::size_t count, void *to, std::size_t pitch,
                    std::int64_t first, std::int64_t step) {
    auto *states = static_cast<E *>(to);
    for (int p = 0; p < parts; ++p)
      for (std::size_t i = 0; i < count; ++i) {
        const auto index = first + static_cast<std::int64_t>(i) * step;
        states[p * pitch + i] =
            R::identity(static_cast<unsigned>(p), V{static_cast<E>(index)}).rep;
      }
  }

  // What is flattened is vectorised; see BlockLoop.

  [[gnu::flatten]] static void across(std::size_t count, const void *from,
                                      void *to, std::size_t pitch) {
    const auto *elements = static_cast<const E *>(from);
    auto *states = static_cast<E *>(to);
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < count; ++i)
      store(states + i, pitch,
            R::step(load(states + i, pitch), V{elements[i]}));
  }

  [[gnu::flatten]] static void along(std::size_t count, const void *from,
                                     void *states) {
    const auto *elements = static_cast<const E *>(from);
    constexpr std::size_t lanes = ReductionLanes;
    for (; count >= lanes; count -= lanes, elements += lanes)
      across(lanes, elements, states, lanes);
    across(count, elements, states, lanes);
  }

  [[gnu::flatten]] static void combine(std::size_t count, void *to,
                                       std::size_t pitch, const void *from,
                                       std::size_t laterPitch) {
    auto *states = static_cast<E *>(to);
    const auto *later = static_cast<const E *>(from);
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < count; ++i)
      store(states + i, pitch,
            R::combine(load(states + i, pitch), load(later + i, laterPitch)));
  }

  [[gnu::flatten]] static void finish(std::size_t count, const void *from,
                                      std::size_t pitch, std::int64_t elements,
                                      void *to) {
    const auto *states = static_cast<const E *>(from);
    auto *results = static_cast<E *>(to);
    const V number{static_cast<E>(elements)};
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < count; ++i)
      results[i] = R::finish(load(states + i, pitch), number).rep;
  }

  /// As many elements as a lane takes of a block.
  static constexpr std::int64_t mostScanned = ReductionBlock / ReductionLanes;

  /// Some rows at once, whose chains of operations do not wait for each other.
  template <std::size_t Rows>
  [[gnu::flatten]] static void
  scanRows(E *states, std::size_t pitch, std::int64_t length, E *elements,
           std::int64_t toRow, std::int64_t toElement) {
    State state[Rows];
    for (std::size_t row = 0; row < Rows; ++row)
      state[row] = load(states + row, pitch);
    for (std::int64_t i = 0; i < length; ++i)
      for (std::size_t row = 0; row < Rows; ++row) {
        E &x = elements[i * toElement + static_cast<std::int64_t>(row) * toRow];
        state[row] = R::step(state[row], V{x});
        x = R::finish(state[row], V{E{1}}).rep;
      }
    for (std::size_t row = 0; row < Rows; ++row)
      store(states + row, pitch, state[row]);
  }

  /// The same for up to `mostScanned` elements, which are finished in vectors.
  template <std::size_t Rows>
  [[gnu::flatten]] static void
  scanLongRows(E *states, std::size_t pitch, std::int64_t length, E *elements,
               std::int64_t toRow, std::int64_t toElement) {
    State state[Rows];
    E made[Rows][parts * mostScanned];
    for (std::size_t row = 0; row < Rows; ++row)
      state[row] = load(states + row, pitch);
    for (std::int64_t i = 0; i < length; ++i)
      for (std::size_t row = 0; row < Rows; ++row) {
        const auto along = static_cast<std::int64_t>(row) * toRow;
        state[row] = R::step(state[row], V{elements[i * toElement + along]});
        store(made[row] + i, mostScanned, state[row]);
      }
    for (std::size_t row = 0; row < Rows; ++row, elements += toRow) {
      store(states + row, pitch, state[row]);
      finish(static_cast<std::size_t>(length), made[row], mostScanned, 1,
             made[row]);
      for (std::int64_t i = 0; i < length; ++i)
        elements[i * toElement] = made[row][i];
    }
  }

  [[gnu::flatten]] static void scanElement(std::size_t count, E *states,
                                           std::size_t pitch, E *elements) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < count; ++i) {
      const State state = R::step(load(states + i, pitch), V{elements[i]});
      store(states + i, pitch, state);
      elements[i] = R::finish(state, V{E{1}}).rep;
    }
  }

  static void scan(std::size_t count, void *from, std::size_t pitch,
                   std::int64_t length, void *to, std::int64_t toRow,
                   std::int64_t toElement) {
    auto *states = static_cast<E *>(from);
    auto *elements = static_cast<E *>(to);
    for (std::int64_t i = 0; i < length; i += mostScanned) {
      scanPiece(count, states, pitch, std::min(length - i, mostScanned),
                elements + i * toElement, toRow, toElement);
      if constexpr (parts > 1 &&
                    requires(State state) { R::normalized(state); })
        for (std::size_t row = 0; row < count; ++row)
          store(states + row, pitch, R::normalized(load(states + row, pitch)));
    }
  }

  static void scanPiece(std::size_t count, E *states, std::size_t pitch,
                        std::int64_t length, E *elements, std::int64_t toRow,
                        std::int64_t toElement) {
    constexpr std::size_t together = 8;
    constexpr std::int64_t fewest = 16;
    if (toRow == 1 && count >= together) {
      for (std::int64_t i = 0; i < length; ++i)
        scanElement(count, states, pitch, elements + i * toElement);
      return;
    }
    const auto take = [&]<std::size_t Rows>(
                          std::integral_constant<std::size_t, Rows>) {
      if (parts > 1 && length >= fewest)
        scanLongRows<Rows>(states, pitch, length, elements, toRow, toElement);
      else
        scanRows<Rows>(states, pitch, length, elements, toRow, toElement);
      states += Rows;
      elements += static_cast<std::int64_t>(Rows) * toRow;
    };
    for (; count >= together; count -= together)
      take(std::integral_constant<std::size_t, together>());
    if (count & 4)
      take(std::integral_constant<std::size_t, 4>());
    if (count & 2)
      take(std::integral_constant<std::size_t, 2>());
    if (count & 1)
      take(std::integral_constant<std::size_t, 1>());
  }

  static constexpr DType element() {
    return std::is_same_v<E, T>        ? Form
           : std::is_same_v<E, double> ? DType::F64
                                       : DType::I64;
  }
  static constexpr ReductionLoops loops() {
    ReductionLoops all{element(), static_cast<unsigned>(parts),
                       &reset,    &across,
                       &along,    &combine,
                       &finish};
    if constexpr (!R::info.scan.empty())
      all.scan = &scan;
    return all;
  }
};

template <class R, DType Form, Isa I>
constexpr ReductionLoops reductionLoopsOf() {
  if constexpr (worksIn(R::info.types, Form))
    return ReductionLoop<R, servingForm<R, Form>, I>::loops();
  else
    return {};
}

template <class R, Isa I, std::size_t... K>
constexpr auto reductionRow(std::index_sequence<K...>) {
  return std::array{reductionLoopsOf<R, AllTypes[K], I>()...};
}

/// For each of `Reductions`, the loops in each of `AllTypes`.
template <Isa I, class... R> const ReductionRow *makeReductions(OpList<R...>) {
  static constexpr ReductionRow table[] = {
      reductionRow<R, I>(std::make_index_sequence<std::size(AllTypes)>{})...};
  return table;
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_REDUCTIONLOOPS_H
