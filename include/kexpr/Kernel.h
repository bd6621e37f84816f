//===- kexpr/Kernel.h - A compiled expression -------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KERNEL_H
#define KEXPR_KERNEL_H

#include "kexpr/Error.h"
#include "kexpr/Executor.h"
#include "kexpr/Expression.h"
#include "kexpr/Precision.h"
#include "kexpr/Span.h"
#include "kexpr/Stage.h"
#include "kexpr/SumState.h"
#include "kexpr/Tensor.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace kexpr {
namespace runtime {
class BoundImpl;
class KernelImpl;
class PreparedImpl;
} // namespace runtime

inline namespace v2 {

/// What runs a kernel. Every tier computes the same bits.
enum class Tier : std::uint8_t {
  Interpreter, ///< Block by block, no generated code.
  Baseline,    ///< Machine code from LLVM's fastest code generator.
  Optimized,   ///< Machine code that runs fastest.
};

/// "interpreter", "baseline" or "optimized".
KEXPR_API std::string_view nameOf(Tier tier);

/// Where the stores of a call go.
enum class Stores : std::uint8_t {
  /// Past the caches if no output is an input and the call moves more than they
  /// hold, or, from 4 MiB on, such calls of this kernel were faster that way.
  /// Rows that a call reduces may go through them where they begin no lines.
  Choose,
  Cached,   ///< Through the caches: somebody reads the outputs at once.
  Streamed, ///< Past the caches, where that can be done.
};

/// A host's way to end a call before it is done.
struct Interrupt {
  /// Asked now and then between parts of a call that take about a millisecond,
  /// by the thread that made the call, in the default floating-point
  /// environment. Where it returns true the call ends with InvalidArgument, and
  /// outputs are partly written. It must not throw. Calls of fewer parts than
  /// two never ask, and neither does waiting for code.
  bool (*ask)(void *context) = nullptr;
  void *context = nullptr; ///< The argument of `ask`.
};

/// How one call is run. Results do not depend on any of it.
struct RunOptions {
  /// Threads at most; 0 leaves it to the executor, or to the arena the call is
  /// made in, of which KEXPR_NUM_THREADS, else OMP_NUM_THREADS, else the least
  /// quota of the control groups may take fewer; 1 runs on the calling thread
  /// alone and touches neither.
  unsigned maxThreads = 0;
  /// Elements of one task at least; 0 chooses by cost and cache size.
  std::int64_t tileElements = 0;
  /// Streamed stores save reading what is about to be overwritten. The first
  /// call that streams has its loop built in the background.
  Stores stores = Stores::Choose;
  /// How long other threads of oneTBB wait for the next call without sleeping,
  /// after one of up to a few milliseconds that they took part in. Waking a
  /// thread takes longer than many a call: for hosts whose cores have nothing
  /// else to do, two milliseconds serve calls that come one by one. Whatever
  /// else wants these cores runs slower meanwhile, the host's own loops too.
  std::chrono::microseconds stayAwake{0};
  /// Threads of the host that this call runs on instead of the engine's, unless
  /// `Executor::run` is null.
  Executor executor = {};
  /// Whether the host wants the call to end, unless `Interrupt::ask` is null.
  Interrupt interrupt = {};
};

/// Where the time of a compilation went.
struct CompileTimes {
  std::chrono::nanoseconds parse{};   ///< Text to tree.
  std::chrono::nanoseconds plan{};    ///< Tree to checked, simplified graph.
  std::chrono::nanoseconds emit{};    ///< Graph to LLVM IR.
  std::chrono::nanoseconds codegen{}; ///< LLVM IR to object code.
  std::chrono::nanoseconds link{};    ///< Object code to callable address, or
                                      ///< finding it in the cache on disk.
  std::chrono::nanoseconds total() const {
    return parse + plan + emit + codegen + link;
  }
};

/// A kernel with its operands: a call that was checked once and can be made any
/// number of times, in a few nanoseconds more than the loop itself takes. Cheap
/// to copy. It holds the kernel, but not the tensors: their memory must be
/// valid whenever it runs.
class KEXPR_API BoundKernel {
public:
  /// Computes the outputs from what the inputs hold now. Two threads must not
  /// run the same one at once: both would write the outputs. Errors: those of
  /// an executor of the host, and OutOfMemory, with nothing written, where the
  /// kernel is interpreted or has many operands.
  Status run() const;

  /// For the library itself.
  explicit BoundKernel(std::shared_ptr<const runtime::BoundImpl> bound)
      : impl(std::move(bound)) {}

private:
  std::shared_ptr<const runtime::BoundImpl> impl;
};

/// A call whose shapes, strides and types were checked once, for hosts whose
/// buffers move. Cheap to copy; it holds the kernel. Usable by any number of
/// threads at once.
class KEXPR_API PreparedCall {
public:
  /// Computes the outputs: `inputs[k]` is where operand `@k` begins,
  /// `outputs[i]` where output i does. Null pointers and overlap are found, as
  /// `Kernel::run` finds them, and are InvalidArgument and OverlappingOutput,
  /// with nothing written; other errors are those of `BoundKernel::run`. What
  /// the call has no use for, and what has no elements, may be null.
  Status run(Span<const void *const> inputs, Span<void *const> outputs) const;

  /// Whether output i may begin where operand `@k` does: both have one type and
  /// layout, and nothing reads the operand after it was written. False for what
  /// is no output, or no operand of the kernel.
  bool mayShare(std::size_t output, std::size_t operand) const;

  /// For the library itself.
  explicit PreparedCall(std::shared_ptr<const runtime::PreparedImpl> prepared)
      : impl(std::move(prepared)) {}

private:
  std::shared_ptr<const runtime::PreparedImpl> impl;
};

/// An expression ready to run on any shapes. Cheap to copy, usable from any
/// number of threads at once, and independent of the life of its Engine.
///
/// Machine code is specialised by the access patterns of operands (contiguous,
/// constant, strided), not by shape. The common case, all contiguous, is
/// compiled by `Engine::compile`; another one is compiled when a call first
/// needs it, and kept.
class KEXPR_API Kernel {
public:
  /// Computes `outputs` from `inputs` (`inputs[k]` is operand `@k`).
  ///
  /// Inputs broadcast against each other as in PyTorch; each output must have
  /// the broadcast shape of the operands it is computed from, and its type. Of
  /// operands that stand inside `size` alone, the shape is looked at and
  /// nothing else. Inputs that the expression does not use may be empty. Bools
  /// are bytes: 0 is false, anything else true, and 0 or 1 is written. An
  /// output may be exactly one of the inputs (same memory, shape and strides);
  /// any other overlap of an output with an input or with another output is an
  /// error. Strides may be any, 0 on inputs alone; a base may be unaligned.
  ///
  /// Blocks until done. After an error the outputs are as they were, unless an
  /// executor of the host failed (`Executor::run`) or the host ended the call
  /// (`RunOptions::interrupt`). Errors: MissingOperand,
  /// TypeMismatch, ShapeMismatch, InvalidArgument, OverlappingOutput,
  /// CompileFailed, OutOfMemory.
  Status run(Span<const TensorView> inputs, Span<const TensorView> outputs,
             const RunOptions &options = {}) const;

  /// Checks a call as `run` does and keeps it, for hosts that run the same
  /// tensors again and again.
  Expected<BoundKernel> bind(Span<const TensorView> inputs,
                             Span<const TensorView> outputs,
                             const RunOptions &options = {}) const;

  /// Checks all of a call but its memory, which the views need not have, and
  /// keeps it, for hosts that run tensors of the same shapes, strides and types
  /// again and again wherever they are.
  Expected<PreparedCall> prepare(Span<const TensorView> inputs,
                                 Span<const TensorView> outputs,
                                 const RunOptions &options = {}) const;

  /// Computes `outputs.size()` independent items, in the layout of inference
  /// frameworks: `inputs` holds operand 0's items, then operand 1's, and so
  /// on; `outputs[i]` is the one output of item i. Items are split over
  /// threads together, so many small ones cost what one large one does. An
  /// output may be exactly an input of its own item. The expression must have
  /// one output. All items are checked before the first is written; besides
  /// the errors of `run`, InvalidArgument where `inputs.size()` is no multiple
  /// of the batch.
  Status runBatch(Span<const TensorView> inputs, Span<const TensorView> outputs,
                  const RunOptions &options = {}) const;

  /// The state of sums that are rounded once: what the outputs are of these
  /// inputs, to be merged with those of others and rounded at the end. The
  /// precision must be `Accurate`, and each output a sum or mean of floating
  /// point itself. Errors: those of `run`; Unsupported for other kernels, with
  /// the range of the output that has no state.
  Expected<SumState> sumState(Span<const TensorView> inputs,
                              const RunOptions &options = {}) const;

  /// The shape that output `index` must have for these inputs, of which only
  /// types and shapes are looked at. Errors: those of `run`, and
  /// InvalidArgument for an index past the last output.
  Expected<Shape> outputShape(Span<const TensorView> inputs,
                              std::size_t index = 0) const;

  const Expression &expression() const;
  std::size_t outputCount() const;
  /// The element type that output `index`, less than `outputCount()`, must
  /// have.
  DType outputType(std::size_t index = 0) const;
  Precision precision() const;
  /// What runs contiguous calls now.
  Tier tier() const;
  /// Where the machine code of contiguous calls starts; null while interpreted.
  const void *codeAddress() const;
  /// Bits of the vectors that contiguous calls compute in, of several loops
  /// those of the first; 0 while interpreted. Loads the code generator.
  unsigned vectorBits() const;
  /// Bytes of machine code and constants, of all access patterns so far.
  std::size_t codeSize() const;
  /// Of the contiguous case; zero stages were not needed.
  CompileTimes compileTimes() const;
  /// Primitive floating-point operations of one element, those that are done
  /// once a row of a reduction not among them.
  unsigned operationsPerElement() const;

  /// What the loop of contiguous calls is at a stage, the same from run to run:
  /// for the engine's target, in the last tier of the kernel's mode. It is made
  /// again for this and changes nothing; LLVM is loaded for the stages that
  /// show code. `Stage::Obj` gives bytes. Errors: CompileFailed; Unsupported
  /// for code of a kernel that has none, being of `Mode::Interpret` or too long
  /// for code (`CompileOptions::mode`); OutOfMemory.
  Expected<std::string> dump(Stage stage) const;

  /// For the library itself.
  explicit Kernel(std::shared_ptr<const runtime::KernelImpl> kernel)
      : impl(std::move(kernel)) {}

private:
  std::shared_ptr<const runtime::KernelImpl> impl;
};

} // namespace v2
} // namespace kexpr

#endif // KEXPR_KERNEL_H
