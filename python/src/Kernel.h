//===- Kernel.h - kexpr.Kernel ----------------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_KERNEL_H
#define KEXPR_PYTHON_KERNEL_H

#include "Arguments.h"
#include "Options.h"

#include "kexpr/Engine.h"
#include "kexpr/Infix.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kexpr::python {

/// What a kernel is made from, apart from the types of its operands.
struct Source {
  std::string text;
  Syntax syntax = Syntax::Infix;
  Semantics semantics = Semantics::Default;
  std::vector<std::string> names; ///< Of operands, in order.
  Precision precision = Precision::Default;
  Mode mode = Mode::Tiered;
  /// Of operands, where the host fixed them.
  std::vector<DType> types;
  /// What makes the text for types that are met, instead of `text`: see
  /// `kexpr._trace.Tracer`. May be null.
  Ref<> tracer;

  // One of these is there unless there is a tracer.
  std::optional<Expression> expression;
  std::optional<InfixProgram> program;

  /// Reads the text, and names operands that have no names yet.
  Status read();
  /// Outputs, and whether there is a tuple of them; 0 before a trace.
  std::size_t outputCount() const;
  bool hasTuple() const;
};

/// Things that are added one by one and stay until the list is gone, for any
/// number of readers without a lock.
template <class T> class KeptList {
public:
  KeptList() = default;
  KeptList(const KeptList &) = delete;
  KeptList &operator=(const KeptList &) = delete;
  ~KeptList() {
    for (Link *link = first.load(); link;)
      delete std::exchange(link, link->next.load());
  }

  std::size_t size() const { return count.load(std::memory_order_acquire); }
  /// The one that was added last; null before the first.
  const T *latest() const {
    const Link *link = last.load(std::memory_order_acquire);
    return link ? link->item.get() : nullptr;
  }
  /// The first that `fits`; null if none does.
  template <class Fits> const T *find(const Fits &fits) const {
    for (const Link *link = first.load(std::memory_order_acquire); link;
         link = link->next.load(std::memory_order_acquire))
      if (fits(*link->item))
        return link->item.get();
    return nullptr;
  }
  /// Takes the item and returns it, unless another thread was faster, whose
  /// item `fits` then, or there are `most`: null, with nothing taken.
  template <class Fits>
  const T *add(std::unique_ptr<T> &item, std::size_t most, const Fits &fits) {
    std::lock_guard lock(mutex);
    if (const T *other = find(fits))
      return other;
    if (size() == most)
      return nullptr;
    auto *link = new Link{std::move(item)};
    if (Link *before = last.load())
      before->next.store(link, std::memory_order_release);
    else
      first.store(link, std::memory_order_release);
    last.store(link, std::memory_order_release);
    count.fetch_add(1, std::memory_order_release);
    return link->item.get();
  }

private:
  struct Link {
    std::unique_ptr<T> item;
    std::atomic<Link *> next = nullptr;
  };
  std::mutex mutex;
  std::atomic<std::size_t> count = 0;
  std::atomic<Link *> first = nullptr, last = nullptr;
};

/// A kernel of one tuple of types.
struct Signature {
  std::vector<std::int64_t> kinds; ///< Type and weakness of each operand.
  Precision precision;
  /// The types that operands are passed in, captured arrays among them.
  std::vector<DType> stored;
  /// Of infix text: what was lowered, for places of errors.
  std::optional<InfixProgram> program;
  std::vector<InfixOperand> operands;
  /// The integers that numbers of Python may be; none where all may.
  std::vector<IntegerRange> ranges;
  Kernel kernel;
  std::string text; ///< In the syntax of the source.
  /// Arrays that a traced function took from around it, after the operands, as
  /// they were then.
  struct Captured {
    Argument argument;
    std::vector<std::int64_t> layout;
    std::unique_ptr<char[]> memory;
  };
  std::vector<Captured> captured;
};

/// A call whose types, shapes and strides were met before.
struct KnownCall {
  std::vector<std::int64_t> key;
  const Signature *signature;
  PreparedCall prepared;
  struct Output {
    DType type;
    Ref<PyArray_Descr> description;
    std::vector<std::int64_t> extents, strides; ///< Strides in bytes.
    bool isRowMajor;
    std::size_t bytes;
  };
  std::vector<Output> outputs;
  bool isLong; ///< Worth letting other threads of Python run.
  /// Whether outputs that were given need results made apart.
  bool copies;
};

/// The implementation of `kexpr.Kernel`. Any number of threads may call it.
class KernelState {
public:
  KernelState(Engine engine, Source source);

  const Source &from() const { return source; }
  /// The name of an operand as an object, borrowed.
  PyObject *nameObject(std::size_t i) const { return nameObjects[i].get(); }
  std::size_t operandCount() const { return source.names.size(); }
  /// 0 for a traced function that was not called yet.
  std::size_t outputCount() const { return results.load() >> 1; }
  /// Whether results are a tuple.
  bool hasTuple() const { return results.load() & 1; }

  /// A call by Python's protocol. Null with an exception. `self` is the object
  /// that this is of: with collections of Dask, `kexpr.dask` calls it, with
  /// arrays of a traced function `kexpr._trace`.
  PyObject *call(PyObject *self, PyObject *const *arguments, std::size_t count,
                 PyObject *names);
  /// The same, kept as a `kexpr.BoundKernel`.
  /// `self` is held by the result.
  PyObject *bind(PyObject *self, PyObject *const *arguments, std::size_t count,
                 PyObject *names);
  /// What the sums are of these arrays; empty with an exception.
  std::optional<SumState> sumState(PyObject *const *arguments,
                                   std::size_t count);
  /// The kernel of these types; null with an exception.
  const Signature *signatureOf(const std::vector<DType> &types);
  /// The one that was made last; null before the first.
  const Signature *latest() const { return signatures.latest(); }

private:
  struct Given;
  class Pointers;
  /// Whether integers of Python fit the types that they meet.
  bool numbersFit(const Given &given, const Signature &signature) const;
  bool parse(Given &given, PyObject *const *arguments, std::size_t count,
             PyObject *names);
  bool parseNames(Given &given, PyObject *const *values, PyObject *names);
  /// `applier` becomes the module that can make the call if this fails.
  bool traceFirst(PyObject *const *arguments, std::size_t count,
                  PyObject *names, const char *&applier);
  PyObject *callArrays(PyObject *const *arguments, std::size_t count,
                       PyObject *names, const char *&applier);
  bool readArguments(Given &given);
  bool readAll(Given &given);
  const Signature *find(const Given &given);
  bool trace(Signature &signature, Source &traced) const;
  bool agree(const Source &traced);
  std::unique_ptr<Signature> compile(std::vector<std::int64_t> kinds,
                                     Precision precision);
  Expected<Kernel> compile(Signature &signature, const Source &text) const;
  const KnownCall *findCall(const Given &given) const;
  std::unique_ptr<KnownCall> makeCall(const Given &given);
  const KnownCall *callFor(const Given &given, std::unique_ptr<KnownCall> &own);
  PyObject *run(Given &given);
  PyObject *runFresh(const Given &given, const KnownCall &call,
                     Pointers &pointers);
  PyObject *runCopied(Given &given);
  bool mayCast(const Given &given);
  /// Sets the exception of an error, in words of the source. Returns null.
  PyObject *fail(const Signature &signature, const Error &error) const;
  PyObject *given(PyObject *const *objects) const;

  const Engine engine;
  const Source source;
  std::vector<Ref<>> nameObjects;
  /// Twice the number of outputs, and 1 for a tuple of them. That of a traced
  /// function is set by its first trace.
  std::atomic<std::size_t> results;
  KeptList<Signature> signatures;
  KeptList<KnownCall> calls;
  mutable std::atomic<const KnownCall *> lastCall = nullptr;
};

/// Adds `Kernel` and `BoundKernel` to the module; false with an exception.
bool addKernelTypes(PyObject *module);

/// A new object of type `Kernel`; null with an exception.
PyObject *makeKernel(Engine engine, Source source);

/// What a `Kernel` is; null for any other object.
KernelState *kernelState(PyObject *object);

} // namespace kexpr::python

#endif // KEXPR_PYTHON_KERNEL_H
