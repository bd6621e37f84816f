//===- Api/CApi.h - What the functions of C share -------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_API_CAPI_H
#define KEXPR_API_CAPI_H

#include "Support/Guarded.h"
#include "kexpr-c/kexpr.h"
#include "kexpr/kexpr.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct kexpr_expression {
  kexpr::Expression object;
};

struct kexpr_engine {
  kexpr::Engine object;
};

struct kexpr_kernel {
  explicit kexpr_kernel(kexpr::Kernel made)
      : object(std::move(made)), expression{object.expression()} {}

  kexpr::Kernel object;
  kexpr_expression expression;
};

struct kexpr_text {
  std::string object;
};

namespace kexpr::capi {

/// A constant that is not destroyed at the end of the process.
template <class T> struct NeverDestroyed {
  constexpr NeverDestroyed() : value() {}
  constexpr ~NeverDestroyed() {}
  union {
    T value;
  };
};

//===-- Results -----------------------------------------------------------===//

/// An argument that must not be null, and its name in messages.
struct Required {
  const void *argument;
  const char *name;
};

/// The code of `error`. A copy of the error goes to `*out` unless `out` is
/// null.
kexpr_code fail(const Error &error, kexpr_error **out) noexcept;

/// The error of an argument that is null.
Error isNull(const char *name);
/// The error of the first argument that is null.
Status check(std::initializer_list<Required> required);

/// Does `work`, which returns a Status or throws, unless an argument is null.
template <class F>
kexpr_code attempt(kexpr_error **error,
                   std::initializer_list<Required> required, F work) noexcept {
  if (error)
    *error = nullptr;
  const Status status = guardedCall([&]() -> Status {
    Status checked = check(required);
    return checked ? Status(work()) : checked;
  });
  return status ? KEXPR_OK : fail(status.error(), error);
}

/// Stores what `work` returns, as an Expected, in `*out`: the value itself, or
/// a new handle that holds it. `*out` is 0 or null after a failure. `place` is
/// the name of `out` in messages.
template <class Out, class F>
kexpr_code give(Out *out, const char *place, kexpr_error **error,
                std::initializer_list<Required> required, F work) noexcept {
  const kexpr_code code = attempt(error, {{out, place}}, [&]() -> Status {
    if (Status status = check(required); !status)
      return status;
    auto made = work();
    if (!made)
      return made.error();
    if constexpr (std::is_convertible_v<decltype(*made), Out>)
      *out = *made;
    else if constexpr (std::is_pointer_v<Out>)
      *out = new std::remove_pointer_t<Out>{std::move(*made)};
    else
      *out = static_cast<Out>(*made);
    return {};
  });
  // Not before: `out` may be one of the arguments, too.
  if (code != KEXPR_OK && out)
    *out = {};
  return code;
}

template <class Handle, class F>
kexpr_code make(Handle **out, kexpr_error **error,
                std::initializer_list<Required> required, F work) noexcept {
  return give(out, "the place for the result", error, required,
              std::move(work));
}

/// The result of `question`, a function or member function, for the object of a
/// handle; `otherwise` without a handle, or where memory ran out.
template <class Handle, class Answer, class F>
Answer ask(const Handle *handle, Answer otherwise, F question) noexcept {
  return guardedOr(otherwise, [&] {
    return handle ? static_cast<Answer>(std::invoke(question, handle->object))
                  : otherwise;
  });
}

//===-- Structures --------------------------------------------------------===//

/// Checks that `size` can be the size of a structure called `name`. No version
/// has one of more than some thousand bytes, so most garbage is refused.
Status checkSize(std::size_t size, const char *name);

/// Checks the size, and that bytes past `known` of the structure are all 0.
Status checkUnknown(const void *given, std::size_t size, std::size_t known,
                    const char *name);

/// Reads a structure that the caller may have compiled with another version of
/// the headers: members it does not have are 0, as all are for null.
template <class T> Expected<T> read(const T *given, const char *name) {
  T result{};
  if (!given)
    return result;
  std::size_t size;
  std::memcpy(&size, given, sizeof size);
  if (auto status = checkUnknown(given, size, sizeof(T), name); !status)
    return status.error();
  std::memcpy(&result, given, std::min(size, sizeof(T)));
  return result;
}

/// Writes the members of `record` that the structure at `out`, whose size is
/// set, has room for.
template <class T> Status write(T record, T *out, const char *name) {
  if (!out)
    return isNull(name);
  std::size_t size;
  std::memcpy(&size, out, sizeof size);
  if (auto status = checkSize(size, name); !status)
    return status;
  std::memset(static_cast<void *>(out), 0, size);
  record.size = size;
  std::memcpy(static_cast<void *>(out), &record, std::min(size, sizeof(T)));
  return {};
}

/// Options of C as those of C++, or what is wrong with them.
Expected<EngineOptions> optionsOf(const kexpr_engine_options *given);
Expected<CompileOptions> optionsOf(const kexpr_compile_options *given);
/// Names of operands; `what` is that of the list, in messages.
Expected<std::vector<std::string>> namesOf(const char *const *names,
                                           std::size_t count, const char *what);
Expected<RunOptions> optionsOf(const kexpr_run_options *given);
Expected<GraphOptions> optionsOf(const kexpr_graph_options *given);
Expected<ParseLimits> optionsOf(const kexpr_parse_limits *given);

/// Options of C++ as those of C.
kexpr_run_options optionsOf(const RunOptions &options);

//===-- Tensors -----------------------------------------------------------===//

/// A tensor whose shape and strides are those of `view`, not copies.
kexpr_tensor tensorOf(const TensorView &view);

/// Reads tensor `index` of a list; `what` stands for its elements in messages.
Status readTensor(const kexpr_tensor &given, const char *what,
                  std::size_t index, TensorView &view);
Status readTensor(const kexpr_named_tensor &given, const char *what,
                  std::size_t index, NamedTensor &tensor);
/// The error of a list of `count` elements at a null pointer.
Error nullList(std::size_t count, const char *what);

/// The tensors of a call, as `View`s of C++, on the stack unless there are
/// many.
template <class View> class Tensors {
public:
  Tensors() = default;
  Tensors(const Tensors &) = delete;
  Tensors &operator=(const Tensors &) = delete;

  /// Reads `count` tensors, each `what` in messages: "input" or "output".
  template <class Tensor>
  Status read(const Tensor *tensors, std::size_t count, const char *what) {
    if (!tensors && count > 0)
      return nullList(count, what);
    if (count > std::size(few))
      many.resize(count);
    View *views = count > std::size(few) ? many.data() : few;
    for (std::size_t i = 0; i < count; ++i)
      if (Status status = readTensor(tensors[i], what, i, views[i]); !status)
        return status;
    all = {views, count};
    return {};
  }

  Span<const View> views() const { return all; }

private:
  View few[8];
  std::vector<View> many;
  Span<const View> all;
};

/// What `run`, a member function or a function of an object, returns for the
/// tensors and options of a call.
template <class Object, class F, class Tensor>
auto call(Object &object, F run, const Tensor *inputs, std::size_t inputCount,
          const Tensor *outputs, std::size_t outputCount,
          const kexpr_run_options *given) {
  using View = std::conditional_t<std::is_same_v<Tensor, kexpr_tensor>,
                                  TensorView, NamedTensor>;
  using Result = std::invoke_result_t<F, Object &, Span<const View>,
                                      Span<const View>, const RunOptions &>;
  Tensors<View> in, out;
  if (Status status = in.read(inputs, inputCount, "input"); !status)
    return Result(status.error());
  if (Status status = out.read(outputs, outputCount, "output"); !status)
    return Result(status.error());
  auto options = optionsOf(given);
  if (!options)
    return Result(options.error());
  return std::invoke(run, object, in.views(), out.views(), *options);
}

} // namespace kexpr::capi

#endif // KEXPR_API_CAPI_H
