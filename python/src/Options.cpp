//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

using namespace kexpr;
using namespace kexpr::python;

static std::atomic<PyObject *> contextVariable = nullptr;

void python::setContextVariable(PyObject *variable) {
  PyObject *none = nullptr;
  if (contextVariable.compare_exchange_strong(none, variable))
    Py_INCREF(variable);
}

bool python::isContextUsed() { return contextVariable; }

bool python::readContext(CallOptions &options) {
  PyObject *const variable = contextVariable.load(std::memory_order_acquire);
  if (!variable)
    return true;
#ifdef Py_LIMITED_API
  PyObject *value = PyObject_CallMethod(variable, "get", nullptr);
  if (!value)
    return false;
#else
  PyObject *value = nullptr;
  if (PyContextVar_Get(variable, Py_None, &value) != 0)
    return false;
#endif
  const Ref<> owned(value);
  if (value == Py_None)
    return true;
  PyObject *threads = PyTuple_GetItem(value, 0);
  PyObject *precision = PyTuple_GetItem(value, 1);
  if (!threads || !precision)
    return false;
  if (threads != Py_None)
    options.threads = unsigned(PyLong_AsUnsignedLong(threads));
  if (precision != Py_None)
    options.precision =
        static_cast<Precision>(PyLong_AsUnsignedLong(precision));
  return !PyErr_Occurred();
}

//===-- Memory of arrays --------------------------------------------------===//

static constexpr std::size_t Line = 64, HugePage = std::size_t{2} << 20;

/// Where blocks of so many bytes begin.
static std::size_t alignmentOf(std::size_t bytes) {
  return bytes >= 2 * HugePage ? HugePage : Line;
}

namespace {
/// What lies before each block. Memory is `malloc`'s, which uses freed blocks
/// again, with the pages that they have; `aligned_alloc` maps new ones for each
/// large block, and the system has to clear them all.
struct Origin {
  void *given;
  std::size_t bytes;

  static Origin &of(void *memory) { return static_cast<Origin *>(memory)[-1]; }
};
} // namespace

static void *allocate(void *, std::size_t bytes) {
  const std::size_t alignment = alignmentOf(bytes);
  const std::size_t more = alignment + sizeof(Origin);
  void *given =
      bytes <= PTRDIFF_MAX - more ? std::malloc(bytes + more) : nullptr;
  if (!given)
    return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(given) + sizeof(Origin);
  void *memory =
      static_cast<char *>(given) + sizeof(Origin) + (0 - first) % alignment;
  Origin::of(memory) = {given, bytes};
  if (alignment == HugePage)
    madvise(memory, bytes / HugePage * HugePage, MADV_HUGEPAGE);
  return memory;
}

static void *allocateZeros(void *context, std::size_t count,
                           std::size_t bytes) {
  void *memory = allocate(context, count * bytes);
  if (memory)
    std::memset(memory, 0, count * bytes);
  return memory;
}

static void release(void *, void *memory, std::size_t) {
  if (memory)
    std::free(Origin::of(memory).given);
}

static void *reallocate(void *context, void *memory, std::size_t bytes) {
  void *moved = allocate(context, bytes);
  if (!moved || !memory)
    return moved;
  std::memcpy(moved, memory, std::min(bytes, Origin::of(memory).bytes));
  release(context, memory, 0);
  return moved;
}

static PyDataMem_Handler handler = {
    "kexpr_aligned",
    1,
    {nullptr, allocate, allocateZeros, reallocate, release}};

AlignedArrays::AlignedArrays(bool wanted) {
  static PyObject *capsule =
      PyCapsule_New(&handler, "mem_handler", nullptr); // lives on
  if (wanted && capsule)
    before = PyDataMem_SetHandler(capsule);
  if (wanted && !before)
    PyErr_Clear();
}

AlignedArrays::~AlignedArrays() {
  if (!before)
    return;
  Py_XDECREF(PyDataMem_SetHandler(before));
  Py_DECREF(before);
}
