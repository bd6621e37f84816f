//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Network.h"

#include "Arguments.h"
#include "Interrupts.h"
#include "Raise.h"

#include "kexpr/PnnxGraph.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace kexpr;
using namespace kexpr::python;

[[noreturn]] static void fail() { throw nb::python_error(); }

template <class T> static T valueOf(Expected<T> given) {
  if (given)
    return std::move(*given);
  raise(given.error());
  fail();
}

/// A tensor as an array of NumPy over the same memory, which must outlive it.
static nb::object arrayOver(const TensorView &view, bool writable) {
  PyArray_Descr *description = describeInNumpy(view.type());
  if (!description)
    fail();
  std::vector<npy_intp> strides;
  for (std::int64_t stride : view.strides())
    strides.push_back(stride * std::int64_t(sizeOf(view.type())));
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, description, int(view.shape().rank()),
                           view.shape().begin(), strides.data(), view.data(),
                           writable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
  if (!array)
    fail();
  return nb::steal(array);
}

static nb::str textOf(std::string_view text) {
  return nb::str(text.data(), text.size());
}

//===-- Layers that Python computes ---------------------------------------===//

/// What a callable of Python raised on this thread, until the call of the
/// network that it ended raises it again.
static thread_local std::optional<nb::python_error> pending;

/// The same as an error: its sentence.
static Error errorOf(nb::python_error &error) {
  Error result(ErrorCode::InvalidArgument, error.what());
  pending.emplace(std::move(error));
  return result;
}

/// Raises what a layer raised, else the error.
[[noreturn]] static void failWith(const Error &error) {
  if (pending) {
    nb::python_error raised = std::move(*pending);
    pending.reset();
    throw raised;
  }
  raise(error);
  fail();
}

/// A copy of a tensor, for code that may keep it.
static nb::object copyOf(const TensorView &view) {
  const nb::object over = arrayOver(view, false);
  PyObject *copy = PyArray_NewCopy(
      reinterpret_cast<PyArrayObject *>(over.ptr()), NPY_CORDER);
  if (!copy)
    fail();
  return nb::steal(copy);
}

/// An object that layers and graphs hold, which may go in any thread.
using Held = std::shared_ptr<nb::object>;

static Held hold(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object *held) {
            const WithGil with;
            delete held;
          }};
}

/// Where objects are noted that a graph which is being made on this thread
/// holds.
static thread_local std::vector<std::weak_ptr<nb::object>> *noted = nullptr;

static void note(const Held &held) {
  if (noted)
    noted->push_back(held);
}

namespace {
/// A layer whose `forward` is a callable of Python: arrays in, arrays out.
class PythonLayer : public Layer {
public:
  PythonLayer(const PnnxModel &model, const PnnxOperator &op, nb::object call)
      : Layer(model, op), call(hold(std::move(call))) {
    note(this->call);
  }

  Status forward(Span<const TensorView> inputs, Span<const TensorView> outputs,
                 const RunOptions &) override {
    const Interrupts::Hidden hidden;
    const WithGil with;
    try {
      nb::list arrays;
      for (const TensorView &input : inputs)
        arrays.append(copyOf(input));
      nb::object result = (*call)(*arrays);
      return store(result, outputs);
    } catch (nb::python_error &error) {
      return errorOf(error);
    }
  }

private:
  Status store(nb::handle result, Span<const TensorView> outputs) const {
    nb::object all = outputs.size() == 1 && !PyTuple_Check(result.ptr())
                         ? nb::make_tuple(result)
                         : nb::borrow(result);
    if (nb::len(all) != outputs.size())
      return Error(ErrorCode::InvalidArgument,
                   "layer '" + name() + "' returned " +
                       std::to_string(nb::len(all)) + " arrays for " +
                       std::to_string(outputs.size()) + " outputs");
    std::size_t i = 0;
    for (nb::handle one : all) {
      nb::object to = arrayOver(outputs[i++], true);
      if (PyArray_CopyObject(reinterpret_cast<PyArrayObject *>(to.ptr()),
                             one.ptr()) != 0)
        throw nb::python_error();
    }
    return {};
  }

  const Held call;
};
} // namespace

/// An operator as `{"type", "name", "parameters", "attributes"}`.
static nb::dict describe(const PnnxOperator &op) {
  nb::dict parameters, attributes, all;
  for (const PnnxParameter &one : op.parameters)
    parameters[textOf(one.key)] = textOf(one.text);
  for (const PnnxAttribute &one : op.attributes)
    if (!one.tensor.empty())
      attributes[textOf(one.key)] = copyOf(one.tensor);
  all["type"] = textOf(op.type);
  all["name"] = textOf(op.name);
  all["parameters"] = parameters;
  all["attributes"] = attributes;
  return all;
}

static LayerCreator creatorOf(nb::object factory) {
  // Held by the function, and by copies that graphs make of it.
  const Held held = hold(std::move(factory));
  note(held);
  return [held](const PnnxModel &model,
                const PnnxOperator &op) -> Expected<std::unique_ptr<Layer>> {
    const WithGil with;
    try {
      return std::unique_ptr<Layer>(
          new PythonLayer(model, op, (*held)(describe(op))));
    } catch (nb::python_error &error) {
      return errorOf(error);
    }
  };
}

//===-- Networks ----------------------------------------------------------===//

namespace {
/// A network; one call of it runs at a time.
class Network {
public:
  Network(const Engine &engine, const std::string &param,
          const std::string &bin, nb::dict layers, bool fuse)
      : model(valueOf(load(param, bin))) {
    struct Noting {
      explicit Noting(std::vector<std::weak_ptr<nb::object>> &all) {
        noted = &all;
      }
      ~Noting() { noted = nullptr; }
    } const noting(objects);
    LayerRegistry registry;
    for (auto [type, factory] : layers)
      if (auto status = registry.add(nb::cast<std::string>(type),
                                     creatorOf(nb::borrow(factory)));
          !status) {
        raise(status.error());
        fail();
      }
    if (auto status = registry.addElementwise(); !status) {
      raise(status.error());
      fail();
    }
    GraphOptions options;
    options.mode = Mode::Tiered;
    options.fuse = fuse;
    pending.reset();
    auto created = [&] {
      const WithoutGil without;
      return PnnxGraph::create(engine, model, registry, options);
    }();
    if (!created)
      failWith(created.error());
    graph.emplace(std::move(*created));
  }

  // For Python's collector of cycles.
  int visit(visitproc visit, void *arg) const {
    for (const auto &one : objects)
      if (const Held held = one.lock())
        Py_VISIT(held->ptr());
    return 0;
  }
  void clear() {
    for (const auto &one : objects)
      if (const Held held = one.lock())
        *held = nb::none();
  }

  nb::tuple ports(bool inputs) const {
    nb::list all;
    for (const GraphPort &port : inputs ? graph->inputs() : graph->outputs()) {
      nb::object type = nb::none(), shape = nb::none();
      if (port.type)
        type = nb::str(nameInNumpy(*port.type));
      if (port.shape) {
        nb::list extents;
        for (std::int64_t extent : *port.shape)
          extents.append(extent);
        shape = nb::tuple(extents);
      }
      all.append(nb::make_tuple(textOf(port.name), type, shape));
    }
    return nb::tuple(all);
  }

  nb::dict run(nb::dict arrays, unsigned threads) {
    Arguments reader;
    std::vector<std::string> names;
    std::vector<nb::object> objects;
    for (auto [name, array] : arrays) {
      names.push_back(nb::cast<std::string>(name));
      objects.push_back(nb::borrow(array));
    }
    std::vector<Argument> tensors(objects.size());
    const auto readAll = [&] {
      for (std::size_t i = 0; i < objects.size(); ++i) {
        PyObject *object = objects[i].ptr();
        if (!reader.readInput(object, tensors[i]))
          fail();
        objects[i] = nb::borrow(object);
      }
    };
    readAll();
    // Arrays that were read before others ran code may have changed.
    if (reader.ranPython())
      readAll();
    std::vector<NamedTensor> inputs;
    for (std::size_t i = 0; i < objects.size(); ++i)
      inputs.push_back({names[i], tensors[i].view()});
    RunOptions options;
    options.maxThreads = threads;
    if (owner.load() == std::this_thread::get_id()) {
      raise(Errors::Unsupported, "a layer that runs its own network");
      fail();
    }
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    {
      const WithoutGil without;
      lock.lock();
    }
    owner = std::this_thread::get_id();
    pending.reset();
    options.interrupt = Interrupts::option();
    const Status status = [&] {
      const Interrupts interrupts;
      return graph->run(inputs, {}, options);
    }();
    owner = std::thread::id();
    if (!status)
      failWith(status.error());
    return results();
  }

  nb::list steps() const {
    nb::list all;
    for (const GraphStep &step : graph->steps()) {
      nb::dict one;
      nb::list operators;
      for (const std::string &name : step.operators)
        operators.append(name);
      one["operators"] = operators;
      one["expression"] = step.expression;
      one["bytes"] = step.bytes;
      all.append(one);
    }
    return all;
  }

private:
  static Expected<PnnxModel> load(const std::string &param,
                                  const std::string &bin) {
    const WithoutGil without;
    return PnnxModel::load(param, bin);
  }

  nb::dict results() const {
    nb::dict all;
    for (const GraphPort &port : graph->outputs()) {
      all[textOf(port.name)] = copyOf(valueOf(graph->output(port.name)));
    }
    return all;
  }

  std::vector<std::weak_ptr<nb::object>> objects; ///< That the graph holds.
  PnnxModel model;
  std::optional<PnnxGraph> graph;
  std::mutex mutex;
  std::atomic<std::thread::id> owner; ///< Who runs it.
};
} // namespace

static int visitNetwork(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Network>(self)->visit(visit, arg)
                              : 0;
}

static int clearNetwork(PyObject *self) {
  if (nb::inst_ready(self))
    nb::inst_ptr<Network>(self)->clear();
  return 0;
}

void python::addNetwork(nb::module_ &module, const Engine &engine) {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void *>(visitNetwork)},
      {Py_tp_clear, reinterpret_cast<void *>(clearNetwork)},
      {}};
  nb::class_<Network>(module, "Network", nb::type_slots(slots))
      .def("__init__",
           [&engine](Network *self, const std::string &param,
                     const std::string &bin, nb::dict layers, bool fuse) {
             new (self) Network(engine, param, bin, layers, fuse);
           })
      .def("inputs", [](const Network &self) { return self.ports(true); })
      .def("outputs", [](const Network &self) { return self.ports(false); })
      .def("steps", &Network::steps)
      .def("run", &Network::run);
}
