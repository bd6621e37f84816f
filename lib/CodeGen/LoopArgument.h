//===- CodeGen/LoopArgument.h - Loop arguments in memory ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODEGEN_LOOPARGUMENT_H
#define KEXPR_CODEGEN_LOOPARGUMENT_H

#include "CodeGen/Lanes.h"
#include "Semantics/Plan.h"

namespace kexpr::codegen {

/// A base may have any address, so elements are aligned to nothing.
inline constexpr llvm::Align AnyAddress = llvm::Align::Constant<1>();

/// One vector of elements on its way through a body. It has the width of the
/// `LaneBuilder` that comes with it.
struct Position {
  /// Of its first element, which exists.
  llvm::Value *index;
  /// How many elements there are from here on, as an i32; null for enough.
  llvm::Value *left = nullptr;
  /// Lanes that exist; null for all.
  llvm::Value *mask = nullptr;
};

/// The arrays that a `LoopFn` is called with.
struct LoopArrays {
  llvm::Value *pointers, *strides;
  /// Of a folded plan: the number of the current row, and where the steps from
  /// row to row begin in `strides`.
  llvm::Value *row = nullptr;
  unsigned rowSteps = 0;

  /// The first element of an argument.
  llvm::Value *pointer(llvm::IRBuilderBase &ir, unsigned number,
                       const llvm::Twine &name) const;
  llvm::Value *stride(llvm::IRBuilderBase &ir, unsigned number,
                      const llvm::Twine &name) const;
};

/// How far ahead the first loop over elements fetches them: the prefetchers of
/// most processors begin anew at each page.
inline constexpr std::uint64_t PageBytes = 4096;
/// What one fetch brings.
inline constexpr std::uint64_t LineBytes = 64;
/// Into which cache, as LLVM's locality.
enum class FetchInto : std::uint32_t { Second = 2, First = 3 };

/// An operand, parameter or output of a `LoopFn`. Elements may lie at any
/// address; a bool is a byte that is 0 or not, and is written as 0 or 1. Of
/// lanes that do not exist, none is written and no memory is touched.
class LoopArgument {
public:
  /// Emits what every access shares: the pointer, the stride, the one element
  /// of a constant. `number` is its index in the arrays.
  LoopArgument(const LaneBuilder &lanes, const semantics::Access &access,
               const LoopArrays &arrays, unsigned number, std::string name);

  llvm::Value *load(const LaneBuilder &lanes, const Position &at) const;
  /// Elements of rows that lie one behind the other or side by side, those of
  /// each column. Fetches so many bytes further on, of columns a few lines.
  llvm::SmallVector<llvm::Value *>
  loadRows(const LaneBuilder &lanes, const Position &at, unsigned length,
           std::uint64_t ahead, FetchInto cache) const;
  /// An element of a row that is that of all.
  llvm::Value *loadElement(const LaneBuilder &lanes,
                           llvm::Value *element) const;
  /// Whether rows have elements of their own.
  bool isInRows() const {
    return pattern == semantics::AccessPattern::Rows || isInColumns();
  }
  /// `streams`: whole vectors are aligned and bypass the caches.
  void store(const LaneBuilder &lanes, const Position &at, llvm::Value *value,
             bool streams) const;
  /// Stores f32 and gives them as f64, in vectors of so many bits: x86 widens
  /// what is in memory by an instruction less than vectors that it must part.
  llvm::Value *storeAndWiden(const LaneBuilder &lanes, const Position &at,
                             llvm::Value *value, unsigned bits) const;
  void storeRows(const LaneBuilder &lanes, const Position &at,
                 llvm::ArrayRef<llvm::Value *> columns, bool streams) const;
  /// Elements of rows in columns, or of a row of all, from one on.
  llvm::SmallVector<llvm::Value *> loadPart(const LaneBuilder &lanes,
                                            const Position &at,
                                            llvm::Value *first,
                                            unsigned count) const;
  void storePart(const LaneBuilder &lanes, const Position &at,
                 llvm::Value *first, llvm::ArrayRef<llvm::Value *> columns,
                 bool streams) const;

  /// Fetches a cache line so many bytes further on than a vector, as a hint.
  void fetch(const LaneBuilder &lanes, const Position &at, llvm::Value *ahead,
             FetchInto cache) const;
  /// Elements from a position to the first that begins a cache line.
  llvm::Value *beforeLine(const LaneBuilder &lanes, const Position &at) const;
  std::uint64_t elementBytes() const { return type->getScalarSizeInBits() / 8; }

private:
  bool isInColumns() const {
    return pattern == semantics::AccessPattern::Columns;
  }
  LoopArgument columnOf(const LaneBuilder &lanes, llvm::Value *element) const;
  /// The first column of rows, as strided elements, and how it becomes the one
  /// that follows.
  LoopArgument firstColumn(const LaneBuilder &lanes, unsigned length) const;
  void toNextColumn(llvm::IRBuilderBase &ir);
  struct Part {
    llvm::Value *address, *mask = nullptr;
  };
  Part partOfRows(const LaneBuilder &lanes, const Position &at, unsigned length,
                  unsigned number) const;
  void fetch(const LaneBuilder &lanes, llvm::Value *address, llvm::Value *ahead,
             FetchInto cache) const;
  bool isLaneByLane(const LaneBuilder &lanes, const Position &at) const {
    return pattern == semantics::AccessPattern::Strided ||
           (at.mask && !isMasked(lanes));
  }
  /// Whether the machine can load and store some lanes of a vector.
  bool isMasked(const LaneBuilder &lanes) const {
    const unsigned bits = type->getScalarSizeInBits();
    return lanes.maskedBytes && bits >= 8 * lanes.maskedBytes &&
           (!lanes.maskedBits || lanes.lanes * bits == lanes.maskedBits);
  }
  /// Name of a loaded vector: bools are loaded as bytes.
  std::string loaded() const { return isBool ? name + ".byte" : name; }
  llvm::Value *splatOf(const LaneBuilder &lanes, llvm::Value *one) const;
  llvm::Value *truth(const LaneBuilder &lanes, llvm::Value *vector) const;
  llvm::Value *address(const LaneBuilder &lanes, const Position &at) const;
  /// The address of every lane, one by one.
  llvm::SmallVector<llvm::Value *, 16> addresses(const LaneBuilder &lanes,
                                                 const Position &at) const;

  std::string name;
  semantics::AccessPattern pattern;
  bool isBool;
  llvm::Type *type; ///< Of one element in memory.
  unsigned width;   ///< Lanes of what is loaded once.
  llvm::Value *pointer = nullptr;
  llvm::Value *stride = nullptr; ///< In bytes, if strided, or of columns.
  /// The one element of a constant, and a vector of it.
  llvm::Value *element = nullptr, *splat = nullptr;
};

} // namespace kexpr::codegen

#endif // KEXPR_CODEGEN_LOOPARGUMENT_H
