//===- Dlpack.h - The structures of DLPack 1.3 ------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout of the binary interface by which libraries hand each other
/// tensors (https://dmlc.github.io/dlpack), as far as kexpr uses it. The names
/// are the specification's.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PYTHON_DLPACK_H
#define KEXPR_PYTHON_DLPACK_H

#include <cstdint>

namespace kexpr::python {

enum DLDeviceType : std::int32_t { kDLCPU = 1 };
enum DLDataTypeCode : std::uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
};

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape;
  std::int64_t *strides; ///< In elements; null for a row-major tensor.
  std::uint64_t byte_offset;
};

struct DLPackVersion {
  std::uint32_t major, minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
/// Of a managed tensor.
enum : std::uint64_t { DLPACK_FLAG_BITMASK_READ_ONLY = 1 };

struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  DLPackExchangeAPIHeader *prev_api;
};
/// What the attribute `__dlpack_c_exchange_api__` of a type points to: a
/// capsule called "dlpack_exchange_api". Functions return 0, or -1 with an
/// exception of Python.
struct DLPackExchangeAPI {
  DLPackExchangeAPIHeader header;
  int (*managed_tensor_allocator)(
      DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
      void (*SetError)(void *error_ctx, const char *kind, const char *message));
  int (*managed_tensor_from_py_object_no_sync)(void *py_object,
                                               DLManagedTensorVersioned **out);
  int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *tensor,
                                             void **out_py_object);
  int (*dltensor_from_py_object_no_sync)(void *py_object, DLTensor *out);
  int (*current_work_stream)(std::int32_t device_type, std::int32_t device_id,
                             void **out_current_stream);
};

} // namespace kexpr::python

#endif // KEXPR_PYTHON_DLPACK_H
