//===- Ops/BlockLoops.h - One operator over a block of floats -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The loops behind `blocks()`. Each instruction set has a source file that
/// includes this header and is compiled for it. Nothing in it may be merged by
/// the linker with its twin of the other file, so every function here has the
/// set among its template arguments and nothing of the standard library is
/// called.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_OPS_BLOCKLOOPS_H
#define KEXPR_OPS_BLOCKLOOPS_H

#include "Ops/Algebra/Scalar.h"
#include "Ops/Conversion.h"
#include "Ops/ExactBlocks.h"
#include "Ops/Operators.h"
#include "Ops/ReductionLoops.h"
#include "Ops/Table.h"

namespace kexpr::ops {

/// The block loops compiled for an instruction set.
struct BlockTables {
  /// For each arithmetic, `AllOperators::size` entries.
  std::array<const BlockFn *, ArithmeticCount> operators;
  /// For each type in `AllTypes`, the conversions to each.
  std::array<const BlockFn *, std::size(AllTypes)> conversions;
  /// For each of `Reductions`, its loops in each of `AllTypes`.
  const ReductionRow *reductions;
  /// Of f32 and f64.
  std::array<ExactBlockFn, 2> exactBlocks;
};
template <Isa I> BlockTables blockTables();
template <> BlockTables blockTables<Isa::Baseline>();
template <> BlockTables blockTables<Isa::Avx2>();

/// Scalar, except that `rarely` always takes the fast way and records where
/// that was wrong. Free of branches, so that loops over it vectorise.
template <Isa I> struct FastPathAlgebra {
  using Exact = ScalarAlgebra<I>;

  template <class T> struct Rep {
    T value;
    /// Not 0 once it was wrong. An integer, for GCC finds no vector loop that
    /// gathers up bools.
    std::uint32_t *wrong;
  };

  template <class T, class U> static Rep<T> constant(Rep<U> like, T c) {
    return {c, like.wrong};
  }
  template <Prim P, class T, class... R>
  static Rep<T> apply(Rep<T> a, R... rest) {
    return {Exact::template apply<P, T>(a.value, rest.value...), a.wrong};
  }
  template <Rel R, class T> static Rep<bool> compare(Rep<T> a, Rep<T> b) {
    return {Exact::template compare<R, T>(a.value, b.value), a.wrong};
  }
  template <class T> static Rep<T> select(Rep<bool> mask, Rep<T> a, Rep<T> b) {
    return {Exact::template select<T>(mask.value, a.value, b.value), a.wrong};
  }
  template <class To, class From> static Rep<To> convert(Rep<From> a) {
    return {Exact::template convert<To, From>(a.value), a.wrong};
  }
  template <class To, class From> static Rep<To> bitcast(Rep<From> a) {
    return {Exact::template bitcast<To, From>(a.value), a.wrong};
  }
  template <class Values, class F>
  static Values rarely(Rep<bool> mask, Values fast, F) {
    *mask.wrong |= mask.value ? 1 : 0;
    return fast;
  }
};

/// What a loop computes: an operator in an arithmetic.
template <class Op, Arithmetic A> struct Operation {
  template <std::size_t K> using In = ArgumentIn<Op, A, K>;
  using Out = std::conditional_t<Op::info.result == ResultRule::Bool, bool,
                                 ElementIn<A>>;
  static constexpr std::size_t arity = arityOf<Op>;
  template <class... V> static auto apply(const V &...arguments) {
    return applyFormula<Op, A>(arguments...);
  }
};

/// What a loop computes: a conversion.
template <DType From, DType To> struct Conversion {
  template <std::size_t> using In = Element<From>;
  using Out = Element<To>;
  static constexpr std::size_t arity = 1;
  template <class V> static auto apply(const V &argument) {
    return convertElement<From, To>(argument);
  }
};

/// The one that gives the bits of another.
template <DType From, DType To>
using ConversionFor = Conversion<servingConversion(From, To).first,
                                 servingConversion(From, To).second>;

/// The loop of an operation over its arguments K...
template <class Op, Isa I, class = std::make_index_sequence<Op::arity>>
class BlockLoop;

template <class Op, Isa I, std::size_t... K>
class BlockLoop<Op, I, std::index_sequence<K...>> {
  template <std::size_t N> using In = typename Op::template In<N>;
  using Out = typename Op::Out;
  template <std::size_t N> using Pointer = const In<N> *;

public:
  static void run(std::size_t count, const void *const *args, void *out) {
    auto *to = static_cast<Out *>(out);
    // Short enough that one rare element makes few others go the slow way.
    constexpr std::size_t Chunk = 256;
    for (std::size_t done = 0; done < count; done += Chunk) {
      const std::size_t left = count - done;
      chunk(left < Chunk ? left : Chunk, to + done,
            (static_cast<Pointer<K>>(args[K]) + done)...);
    }
  }

private:
  static void chunk(std::size_t count, Out *out, Pointer<K>... in) {
    if (anyRare(count, in...))
      exactPath(count, out, in...);
    else
      fastPath(count, out, in...);
  }

  // Flattened: a formula that is a call, as GCC leaves the longer ones, keeps
  // its loop from being vectorised.

  /// Only what the masks of `rarely` need is left of this by the compiler:
  /// nothing at all for a formula without.
  [[gnu::flatten]] static bool anyRare(std::size_t count, Pointer<K>... in) {
    std::uint32_t rare = 0;
    for (std::size_t i = 0; i < count; ++i)
      fastElement(rare, in[i]...);
    return rare != 0;
  }

  [[gnu::flatten]] static void fastPath(std::size_t count, Out *out,
                                        Pointer<K>... in) {
    std::uint32_t ignored = 0;
    // An element depends on its own place only, also where out is an argument.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < count; ++i)
      out[i] = fastElement(ignored, in[i]...);
  }

  [[gnu::flatten]] static void exactPath(std::size_t count, Out *out,
                                         Pointer<K>... in) {
    for (std::size_t i = 0; i < count; ++i)
      out[i] = Op::apply(Value<ScalarAlgebra<I>, In<K>>{in[i]}...).rep;
  }

  template <class... X> static Out fastElement(std::uint32_t &wrong, X... x) {
    return Op::apply(Value<FastPathAlgebra<I>, X>{{x, &wrong}}...).rep.value;
  }
};

/// Op's loop, or null where it has none; see `blocks()`.
template <class Op, Isa I, Arithmetic A> constexpr BlockFn blockOf() {
  if constexpr (worksIn(Op::info.types, A))
    return &BlockLoop<Operation<Op, servedBy<Op, A>>, I>::run;
  else
    return nullptr;
}

template <Isa I, Arithmetic A, class... Ops>
const BlockFn *makeBlockTable(OpList<Ops...>) {
  static constexpr BlockFn table[] = {blockOf<Ops, I, A>()...};
  return table;
}

template <Isa I, DType From, std::size_t... To>
const BlockFn *makeConversions(std::index_sequence<To...>) {
  static constexpr BlockFn table[] = {
      &BlockLoop<ConversionFor<From, AllTypes[To]>, I>::run...};
  return table;
}

template <Isa I> BlockTables makeBlockTables() {
  constexpr auto types = std::make_index_sequence<std::size(AllTypes)>{};
  return [types]<std::size_t... A, std::size_t... From>(
      std::index_sequence<A...>, std::index_sequence<From...>) {
    return BlockTables{
        {makeBlockTable<I, static_cast<Arithmetic>(A)>(AllOperators{})...},
        {makeConversions<I, AllTypes[From]>(types)...},
        makeReductions<I>(AllReductions{}),
        exactBlocks<I>()};
  }
  (std::make_index_sequence<ArithmeticCount>{}, types);
}

} // namespace kexpr::ops

#endif // KEXPR_OPS_BLOCKLOOPS_H
