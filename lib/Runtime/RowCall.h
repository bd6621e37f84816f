//===- Runtime/RowCall.h - One prepared call of a kernel that reduces ---===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ROWCALL_H
#define KEXPR_RUNTIME_ROWCALL_H

#include "Ops/ExactSums.h"
#include "Runtime/Executor.h"
#include "Runtime/LaunchPolicy.h"
#include "Runtime/LoopVariants.h"
#include "Runtime/Parameters.h"
#include "Runtime/Requirements.h"
#include "Semantics/Sweeps.h"
#include "Semantics/WholeRows.h"

#include <algorithm>
#include <deque>

namespace kexpr::runtime {

/// The compiled sweeps of a kernel that reduces. All members may be called from
/// any thread.
class RowProgram {
public:
  struct Step {
    Step(const Compiler &compiler, semantics::Sweep given, Mode mode,
         LoopPtr loop)
        : sweep(std::move(given)), parameters(sweep.plan.graph),
          loops(compiler, sweep.plan, mode, std::move(loop)),
          policy(sweep.plan) {}
    /// The loop of `Plan::unrolled`, for patterns of one element; compiled when
    /// it is first needed.
    Expected<const Loop *>
    unrolled(const Compiler &compiler, Mode mode, unsigned elements,
             bool takesRows,
             std::span<const semantics::AccessPattern> patterns) const;
    std::size_t codeSize() const;

    const semantics::Sweep sweep;
    const Parameters parameters;
    const LoopVariants loops;
    const LaunchPolicy policy;

  private:
    struct Unrolled {
      Unrolled(const Compiler &compiler, Mode mode, unsigned elements,
               bool takesRows, semantics::Plan given, LoopPtr loop)
          : elements(elements), takesRows(takesRows), plan(std::move(given)),
            loops(compiler, plan, mode, std::move(loop)) {}
      const unsigned elements;
      const bool takesRows;
      const semantics::Plan plan;
      const LoopVariants loops;
    };
    mutable AppendList<Unrolled> unrolledLoops;
  };

  using Steps = std::deque<Step>;

  /// One loop that does all steps of a group of rows.
  struct Whole {
    Whole(const Compiler &compiler, const Step &first,
          std::vector<semantics::RowTensor> given,
          std::vector<std::uint32_t> arguments, semantics::WholeRows made,
          Mode mode, LoopPtr loop)
        : first(first), given(std::move(given)),
          arguments(std::move(arguments)), rows(std::move(made)),
          parameters(rows.plan.graph),
          loops(compiler, rows.plan, mode, std::move(loop)) {}
    const Step &first; ///< Of the group.
    const std::vector<semantics::RowTensor> given;
    /// The tensors of all sweeps, one after the other.
    const std::vector<std::uint32_t> arguments;
    const semantics::WholeRows rows;
    const Parameters parameters;
    const LoopVariants loops;
  };

  /// Compiles the sweeps of a plan. The compiler must outlive it.
  static Expected<std::unique_ptr<const RowProgram>>
  create(const Compiler &compiler, const semantics::Plan &plan, Mode mode,
         CompileTimes *times);
  RowProgram(const Compiler &compiler, const semantics::Plan &plan, Mode mode)
      : compiler(compiler), plan(plan), mode(mode) {}

  /// With elements kept where that pays.
  const Steps &steps() const { return keeping; }
  Expected<const Loop *>
  unrolled(const Step &step, unsigned elements, bool takesRows,
           std::span<const semantics::AccessPattern> patterns) const {
    return step.unrolled(compiler, mode, elements, takesRows, patterns);
  }
  /// The loop of steps over the same rows, which gets code in the background;
  /// null where there is none, or too many. Without a form it is staggered.
  Expected<const Whole *>
  whole(const Step &first, const std::vector<semantics::RowTensor> &tensors,
        std::span<const semantics::RowSweep> sweeps,
        const semantics::RowForm &form) const;
  /// Without: for rows that are too long to keep elements of, or that no one
  /// thread has. Compiled when they are first needed.
  Expected<const Steps *> stepsThatKeepNone() const;
  std::size_t codeSize() const;
  /// Learns from calls of any shape whether to write past the caches.
  StoreChoice &storeChoice() const { return choice; }

private:
  Status compile(Steps &steps, bool keepsElements, CompileTimes *times) const;

  const Compiler &compiler;
  /// A copy: that of the kernel is still to be moved to its place.
  const semantics::Plan plan;
  const Mode mode;
  Steps keeping;
  bool keepsAny = false;
  mutable Mutex mutex;
  mutable Steps plain; ///< None before they are compiled.
  mutable std::atomic<bool> isCompiled = false;
  mutable StoreChoice choice;
  mutable AppendList<Whole> wholes;
};

/// A tensor of a group of sweeps: an output, an operand, or the results of a
/// reduction.
struct RowSlot {
  enum class Kind : std::uint8_t { Output, Operand, Result };
  Kind kind = Kind::Operand;
  /// In the list of outputs, of the operands that are used, or of results.
  std::uint32_t index = 0;
  /// Bytes of an element, and from one to the next along axes.
  std::int64_t size = 0;
  std::int64_t kept[MaxRank] = {}, reduced[MaxRank] = {};
  /// Whether it is addressed by the number of a row in its tile, instead of by
  /// `kept`: with one element a row, or with all of them.
  bool isLinear = false, isScratch = false;
  /// Whether it is an output that elements are kept in, or beside it where it
  /// goes past the caches, until it is stored.
  bool isKept = false;
  /// Whether it is an output or an operand with elements of rows.
  bool isOfElements() const { return kind != Kind::Result && reduced[0] != 0; }
};

/// What a sweep reduces or keeps, until later ones have read it.
struct RowResult {
  semantics::ValueId value = 0;
  std::int64_t size = 0;
  std::int64_t uncounted = 0; ///< See `Value::uncounted`.
  Shape shape;
  std::uint32_t group = 0;
  /// Whether it has all elements of rows, and not one for each.
  bool hasElements = false;
  /// Whether other groups use it, so that all of it is kept.
  bool isShared = false;
  /// Whether its own group, which is one row, uses it by its shape, too.
  bool isPlaced = false;
  /// Where it begins in the memory of all, or, for each row of a tile, in that
  /// of a thread.
  std::int64_t offset = 0;
};

/// An exact sum of a sweep.
struct RowSum {
  const ops::ExactSums *exact = nullptr;
  DType result = DType::F32;
  bool isMean = false;
};

/// A tensor of elements that rows have at their classes.
struct RowElements {
  std::uint32_t result = 0;
  /// Elements and classes, without their strides, which are in elements of
  /// tensors of the axes of the result. Elements have one along the second axis
  /// from class to class.
  RowSlot from;
  Shape steps;
  RowSlot classes;
  Shape classSteps;
  DType type = DType::I64; ///< Of classes.
  std::int64_t count = 0;  ///< Of classes.
  bool isTruth = false;    ///< Whether it says that there is the class.
};

/// A scan of a sweep.
struct RowScan {
  std::size_t output; ///< Of the sweep: the elements, then the scan.
  const ops::ReductionLoops *loops;
};

/// By value of the plan's graph, where the states of an exact sum are also
/// kept, those of rows one behind the other; null where they are not.
using RowSumSink = std::vector<std::int64_t *>;

/// One sweep of a call.
struct RowStep {
  const RowProgram::Step *step = nullptr;
  const Loop *loop = nullptr;
  /// Whether calls may use that loop with stores past the caches.
  bool canStream = false;
  /// The same of several elements of each row, of a sweep that reduces columns,
  /// and how many: all of them if rows are short.
  const Loop *unrolled = nullptr;
  unsigned atOnce = 1;
  /// Whether these have a lane each, and become one state.
  bool takesRows = false;
  /// Outputs, and how many of them, the first, are reductions.
  std::size_t outputs = 0, reductions = 0;
  std::vector<const ops::ReductionLoops *> reductionLoops;
  /// Whether a call of the loop gives the states of whole rows or blocks.
  bool isFolded = false;
  /// Whether it has an element a row, and not one an element of rows.
  bool isOfRows = false;
  /// Its reductions where these are exact sums, which no loop carries.
  std::vector<RowSum> sums;
  /// What it stores that becomes a scan.
  std::vector<RowScan> scans;
  /// The slots of its outputs and inputs; of reductions, that of the results.
  std::vector<std::uint32_t> slots;
  std::vector<std::uint64_t> parameters;

  /// That loop; null where there is none, or none yet: one that the interpreter
  /// runs gets it with machine code.
  const Loop *streaming() const {
    return canStream ? step->loops.streaming(*loop) : nullptr;
  }
  /// Whether states have the place of an element in its row.
  bool hasIndices() const;
};

/// An argument of one of the sweeps that a loop does at once.
struct RowArgument {
  std::size_t sweep, slot; ///< Of the sweep.
  std::size_t state;       ///< If it is reduced, where its states of rows are.
};

/// What a thread needs for a group.
struct RowMemory {
  std::size_t width = 1; ///< States side by side.
  /// Bytes for the states of lanes, the tree, and the states of the rows of a
  /// tile, of one reduction or scan of a sweep; of an exact sum, for the states
  /// of rows and some elements.
  std::size_t stateBytes = 0, treeBytes = 0, rowStateBytes = 0;
  std::size_t packBytes = 0; ///< Of a copy of an input.
  std::size_t keptBytes = 0; ///< Of rows that are not kept in their output.
  std::size_t bytes = 0;     ///< All.
  /// The most arguments that a loop has, and one of several elements a row, and
  /// the most reductions or scans of a sweep.
  std::size_t slots = 0, unrolledSlots = 0, reductions = 0;
  /// The most reductions or scans whose states of rows are there at a time.
  std::size_t rowReductions = 0;
  std::size_t stridesOfLoops = 0; ///< Of the one that has the most.
};

/// Columns of tiles are a number of these.
inline constexpr std::int64_t ColumnUnit = 64;

/// Elements that are kept for a tile at most: half of a second-level cache.
inline constexpr std::int64_t MostScratch = 64 * 1024;
/// The same where loops run across columns, of which that many were few.
inline constexpr std::int64_t MostOfColumns = 1024 * 1024;

/// Sweeps over the same rows, which are done row by row, or column by column.
struct RowGroup {
  std::vector<RowElements> taken; ///< Before the steps.
  std::vector<RowStep> steps;
  std::vector<RowSlot> slots;
  Shape shape;
  std::uint32_t mask = 0;
  /// The axes of rows and those within a row, outermost first, in row-major
  /// order; merged where one stride serves.
  unsigned keptAxes = 0, reducedAxes = 0;
  std::int64_t keptExtents[MaxRank], reducedExtents[MaxRank];
  std::int64_t rows = 1, length = 1;
  /// Whether loops run along the last kept axis, over many rows at once.
  bool hasColumns = false;
  /// Rows of a tile at most, which there is memory for.
  std::int64_t columns = 1;
  /// Rows whose results a task has room for: those of a tile, or more.
  std::int64_t room = 1;
  /// Whether columns are few and nothing is between them, so that 32 elements
  /// of each are one run: as many as there are lanes, of which each column that
  /// is reduced then has states of its own.
  bool isFlat = false;
  /// Whether columns are short rows: copied side by side to be reduced, and
  /// stored as one run.
  bool isShort = false;
  /// Whether elements of a row must be copied to be in one run.
  bool packs = false;
  /// Whether loops that take columns whole find elements of each in few sets of
  /// a cache.
  bool isCrowded = false;
  std::int64_t tileBytes = 0; ///< Of results, for each row of a tile.
  bool hasScratch = false;    ///< Whether elements are kept.
  bool hasSums = false;       ///< Whether there are exact sums.
  bool hasScans = false;
  /// Where rows are too long to keep elements of: the step from which on they
  /// are done in pieces, and the elements of one. 0 where they are done whole.
  std::size_t firstInPieces = 0;
  std::int64_t piece = 0;
  /// One loop that does all steps of rows, or all `sweeps` over long ones
  /// at once; its code may come later. Null where there is none.
  const RowProgram::Whole *whole = nullptr;
  /// How many rows each sweep is behind the one before; 0 where it takes rows
  /// whole.
  std::int64_t staggered = 0;
  /// Rows of which elements are kept at a time, where any are, if not in their
  /// output.
  std::int64_t rowsKept = 0;
  std::vector<std::size_t> sweeps; ///< The steps that go along rows.
  std::vector<RowArgument> arguments; ///< Of all sweeps, one after the other.
  /// Whether it may store past the caches, and do so wherever rows begin.
  bool canStream = false, streamsAnywhere = false;
  std::vector<std::uint64_t> parameters; ///< Of that loop.
  RowMemory memory[2]; ///< The second where all threads do each row.

  /// That loop, if it has code, or with stores past the caches if it has that.
  const Loop *wholeLoop(bool streams) const;
  /// What a task takes of them, where outputs, then inputs begin at `first` and
  /// stores go past the caches if they can; null where sweeps do it all, as
  /// those of `staggered` rows that begin no lines, which only they can stream.
  const Loop *loopOfTask(bool streams, void *const *first) const;
  /// Whether rows that are stored begin lines of the cache, if the first ones,
  /// at these addresses or at some, do.
  bool beginLines(void *const *first = nullptr) const;
  /// Whether each element of columns that is stored begins a line where the
  /// first one does: only those can go past the caches.
  bool mayBeginLines() const;
  /// How many elements of a row have their lines in one set of a first cache,
  /// as they are whole pages apart, or nearly.
  std::int64_t mostInSet() const;
  /// Whether sweeps are such that they may do better together, in a loop that
  /// staggers them: over many long rows.
  bool mayStagger(bool isInCaches) const;
  /// Whether three sweeps wait less for memory there than in a loop that takes
  /// rows in parts: rows begin lines, sweeps that reduce short ones read no
  /// operand of one row or column for all, and the first cache keeps such
  /// operands beside rows, or would keep no row for the next sweep either.
  bool waitsLessStaggered() const;
  /// Whether the loop of staggered rows stores past the caches.
  bool staggersStreaming(void *const *first) const {
    return canStream && beginLines(first);
  }

  /// Bytes from the first element of a row to another one.
  std::int64_t offsetOf(const RowSlot &slot, std::int64_t element) const {
    std::int64_t offset = 0;
    for (unsigned axis = reducedAxes; axis-- > 0;) {
      offset += element % reducedExtents[axis] * slot.reduced[axis];
      element /= reducedExtents[axis];
    }
    return offset;
  }
  std::int64_t inner() const {
    return reducedAxes ? reducedExtents[reducedAxes - 1] : 1;
  }
  /// Whether no block goes on in another run of elements of a row.
  bool hasWholeBlocks() const {
    return reducedAxes <= 1 ||
           (inner() > 0 && inner() % ops::ReductionBlock == 0);
  }
  /// How many of the elements [from, to) of a row are in the run of the first.
  std::int64_t runOf(std::int64_t from, std::int64_t to) const {
    return reducedAxes <= 1 ? to - from
                            : std::min(inner() - from % inner(), to - from);
  }
  /// Elements of a tensor that are kept for a tile at most.
  std::int64_t mostScratch() const {
    const auto kept = std::ranges::count_if(slots, &RowSlot::isScratch);
    return takesColumns() && !hasScans
               ? MostOfColumns / std::max<std::int64_t>(kept, 1)
               : MostScratch;
  }
  /// Elements of a row that are kept at a time.
  std::int64_t scratchLength() const { return piece ? piece : length; }
  /// Whether loops take columns, and not rows that are copied to be some.
  bool takesColumns() const { return hasColumns && !isShort; }
  /// Whether a loop that takes them whole has them in parts.
  bool hasLongColumns() const {
    constexpr std::int64_t lanes = ops::ReductionLanes;
    return takesColumns() && length > lanes;
  }
  /// Whether such a loop may have columns copied in strips.
  bool copiesColumns() const {
    return whole && (isCrowded || hasLongColumns());
  }
  std::int64_t lastKept() const {
    return keptAxes ? keptExtents[keptAxes - 1] : 1;
  }
  /// Whether a tensor has elements of rows that are narrower than words.
  bool hasNarrow() const {
    constexpr std::int64_t word = 4;
    return std::ranges::any_of(slots, [](const RowSlot &slot) {
      return slot.isOfElements() && slot.size < word;
    });
  }
  /// Whether elements are kept in memory of their own, and not in an output.
  bool keepsApart() const {
    return std::ranges::any_of(slots, &RowSlot::isScratch);
  }
  /// Whether tiles may be narrower than `columns`, as loops take what they get.
  bool hasWideTiles() const {
    return takesColumns() && !isFlat && columns > ColumnUnit;
  }
  /// The columns of such a tile where threads share them, or the host is asked
  /// after so many elements; 0 where it is not.
  std::int64_t columnsFor(unsigned threads, std::int64_t asked) const;
};

/// Whether vectors are those of AVX2: half as long, and half as many, as
/// AVX-512's.
bool hasFewRegisters();

/// Whether a loop might take columns whole: it has code for each element, or
/// none is rare.
bool mayBeWhole(const RowGroup &group);

/// How a loop takes the rows of a group whole, if it does.
std::optional<semantics::RowForm> wholeForm(const RowGroup &group,
                                            bool isInCaches);

struct RowContext;

/// Elements of the rows of a tile along rows at most, unless one has more.
inline constexpr std::int64_t TileElements = 16384;

/// A call of a kernel that reduces, for tensors of certain shapes and strides.
/// Immutable once prepared; `run` may be called from several threads.
class RowCall {
public:
  /// `required` and `program` are of one kernel and outlive this.
  RowCall(const semantics::Plan &plan, const Requirements &required,
          const RowProgram &program)
      : plan(plan), required(required), program(program) {}

  /// Prepares a call that was checked.
  Status prepare(const CallArguments &arguments);
  /// Whether an output may be exactly an input that has its layout: no sweep
  /// reads it after it was written.
  bool mayShare(std::size_t output, std::uint32_t operand) const;
  /// Bytes that it keeps alive, roughly.
  std::size_t size() const;
  /// An error if an output is an input that it may not be.
  Status checkSharing(const CallArguments &arguments) const;
  /// `first` has the first elements of outputs, then of the inputs of the
  /// plan's graph. Errors: those of an executor.
  Status run(void *const *first, const RunOptions &options,
             const Executor &executor, DefaultFloats &floats,
             const RowSumSink *sink = nullptr) const;

private:
  struct Site;
  Expected<bool> makeGroups(const RowProgram::Steps &steps, bool keepsAll);
  Status addStep(const RowProgram::Step &step);
  bool joins(const RowGroup &group, const Site &site) const;
  bool isAligned(const RowGroup &group, const Site &site,
                 const RowResult &result) const;
  void place(RowGroup &group, RowStep &step, const Site &site, RowSlot slot,
             const Shape &shape, const Shape &strides);
  void addResult(RowGroup &group, RowStep &step, const Site &site,
                 const semantics::SweepTarget &target, DType type);
  void addSource(RowGroup &group, RowStep &step, const Site &site,
                 semantics::ValueId value);
  struct Seen {
    RowSlot slot;
    semantics::SeenShape tensor;
  };
  Expected<Seen> see(semantics::ValueId value, const semantics::Value &view);
  Status addView(RowGroup &group, RowStep &step, const Site &site,
                 semantics::ValueId value);
  Status addAtClasses(RowGroup &group, RowStep &step, const Site &site,
                      semantics::ValueId value);
  Status addSlots(RowGroup &group, RowStep &step, const Site &site);
  bool isSeen(semantics::ValueId value) const;
  std::uint32_t slotOf(RowGroup &group, RowSlot slot);
  bool finish(RowGroup &group);
  void keepInOutput(RowGroup &group);
  static bool cutIntoPieces(RowGroup &group);
  void chooseShape(RowGroup &group) const;
  bool hasShortRows(const RowGroup &group) const;
  /// Up to how many elements rows are done faster next to each other, where
  /// they are copied to, than where they lie and leave lanes empty: more of
  /// `argmax`, whose lanes take long to become one, most where a loop takes all
  /// elements of a row.
  std::int64_t mostShort(const RowGroup &group) const;
  /// Whether a loop takes all elements of a column, or of a short row.
  bool takesAll(const RowGroup &group, const RowStep &step) const;
  static void chooseTile(RowGroup &group);
  Status chooseLoops(RowGroup &group);
  std::optional<std::vector<semantics::RowTensor>>
  wholeTensors(const RowGroup &group) const;
  Status takeWhole(RowGroup &group);
  Status stagger(RowGroup &group);
  Status findWhole(RowGroup &group, std::span<const semantics::RowSweep> sweeps,
                   const std::vector<semantics::RowTensor> &tensors,
                   const semantics::RowForm &form);
  std::int64_t mostAtOnce(const RowGroup &group, const RowStep &step) const;
  Status unroll(const RowGroup &group, RowStep &step,
                std::vector<semantics::AccessPattern> patterns) const;
  void placeResults();
  bool mayStream(void *const *first, const RunOptions &options) const;
  bool hasStreamingCode(void *const *first) const;
  Status runGroups(void *const *first, const RunOptions &options,
                   const Executor &executor, DefaultFloats &floats,
                   const RowSumSink *sink, bool isStreamed) const;
  Status take(const RowElements &elements, const RowContext &context,
              const RunOptions &options, const Executor &executor,
              DefaultFloats &floats) const;
  Status runGroup(RowContext context, const RunOptions &options,
                  const Executor &executor, DefaultFloats &floats) const;
  Status runSplit(const RowContext &given, const Split &split) const;

  const semantics::Plan &plan;
  const Requirements &required;
  const RowProgram &program;
  const CallArguments *given = nullptr; ///< While it is prepared.
  const RowProgram::Steps *chosen = nullptr;
  /// Whether elements that are kept are used by another thread or too late.
  bool losesElements = false;
  /// Whether scans of all rows are kept, and not those of a tile.
  bool keepsScans = false;
  std::vector<Shape> shapes; ///< Of the values of the plan's graph.
  std::vector<RowGroup> groups;
  std::vector<RowResult> results;
  std::int64_t sharedBytes = 0;
  std::int64_t movedBytes = 0; ///< Of operands and outputs.
  /// By output and operand that is used, whether they may be one.
  std::vector<bool> mayBe;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ROWCALL_H
