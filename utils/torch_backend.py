#!/usr/bin/env python3
"""torch.compile(backend="kexpr") held against eager PyTorch.

  torch_backend.py ops [NAME...]        every entry of op_db, and its gradients
  torch_backend.py fragments            12 fragments of models, 4 optimizers
  torch_backend.py times [NAME...]      beside eager, aot_eager and Inductor;
                                        the name `quick` leaves out Inductor
  torch_backend.py pyhpc PATH [SIZE...] the same for a checkout of GitHub's
                                        dionhaefner/pyhpc-benchmarks
  torch_backend.py first                the first result of a new function
  torch_backend.py fresh                the same in a new process, with empty
                                        caches and without a compiler
  torch_backend.py threads              products and kernels in turns, 2 threads
  torch_backend.py share NAME...        what products take of a step

PYTHONPATH names a build of the package. Prints the versions it ran with.
"""

import copy
import importlib
import itertools
import logging
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from unittest import mock

import torch
from torch.testing import assert_close
from torch.utils._pytree import tree_leaves, tree_map

import kexpr._core
from kexpr.torch import backend
from torch_fragments import fragments, oceans, optimizers

# Results are memory that nobody wrote to, or names of axes alone.
UNWRITTEN = {"empty", "empty_like", "empty_permuted", "empty_strided",
             "new_empty", "new_empty_strided"}


def gradients(function, sample):
    """Results of a function, and the gradients of what it was given."""
    def copied(one):
        return (one.detach().clone().requires_grad_(one.requires_grad)
                if isinstance(one, torch.Tensor) else one)
    torch.manual_seed(0)
    given = tree_map(copied, (sample.input, sample.args, sample.kwargs))
    first, rest, named = given
    results = [one for one in tree_leaves(function(first, *rest, **named))
               if isinstance(one, torch.Tensor)]
    leaves = [one for one in tree_leaves(given)
              if isinstance(one, torch.Tensor) and one.requires_grad]
    roots = [one for one in results if one.requires_grad and one.numel()]
    if not roots or not leaves:
        return results
    seeds = [torch.full_like(one, 0.5) for one in roots]
    found = torch.autograd.grad(roots, leaves, seeds, allow_unused=True)
    return results + [one for one in found if one is not None]


def compiled(function, sample, which):
    torch._dynamo.reset()
    return gradients(torch.compile(function, backend=which), sample)


def check_op(op, count):
    """How many samples of an entry agree; yields what is wrong with others."""
    dtypes = op.supported_dtypes("cpu")
    if not dtypes or op.name in UNWRITTEN:
        return
    dtype = torch.float32 if torch.float32 in dtypes else min(dtypes, key=str)
    grad = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")

    def function(*given, **named):
        return op.op(*given, **named)
    for sample in itertools.islice(
            op.sample_inputs("cpu", dtype, requires_grad=grad), count):
        try:
            right = gradients(function, sample)
        except Exception:
            continue  # The sample is one of an error.
        try:
            assert_close(compiled(function, sample, backend), right,
                         equal_nan=True)
            yield None
        except Exception as error:
            # What aot_eager refuses, or computes otherwise, is PyTorch's.
            try:
                assert_close(compiled(function, sample, "aot_eager"), right,
                             equal_nan=True)
            except Exception:
                continue
            yield f"{op.formatted_name}: {str(error).splitlines()[0]}"


def ops(names):
    from torch.testing._internal.common_methods_invocations import op_db
    right = wrong = 0
    for op in op_db:
        if not names or op.name in names:
            for fault in check_op(op, 2):
                right += fault is None
                wrong += fault is not None
                if fault:
                    print(fault, flush=True)
    print(f"{right} samples of {len(op_db)} entries agree, {wrong} do not")
    return wrong


def step(module, inputs):
    """Results and gradients of a training step."""
    leaves = [*module.parameters(),
              *(one for one in inputs if one.requires_grad)]
    for one in leaves:
        one.grad = None
    results = module(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    generator = torch.Generator().manual_seed(9)
    torch.autograd.backward(
        results, [torch.randn(one.shape, generator=generator)
                  for one in results])
    return [one.detach() for one in results] + [one.grad for one in leaves]


def difference(ours, theirs):
    return max(((a - b).abs().max() / b.abs().max().clamp(min=1e-30)).item()
               for a, b in zip(ours, theirs, strict=True))


def with_gradients(name, inputs):
    """Losses have no parameters: their first argument takes their place."""
    if name in ("focal", "dice", "huber"):
        return (inputs[0].requires_grad_(), *inputs[1:])
    return inputs


def check_fragment(name, module, inputs):
    """The largest difference in training, relative to the largest element."""
    inputs = with_gradients(name, inputs)
    other = torch.compile(copy.deepcopy(module), backend=backend)
    torch.manual_seed(5)
    right = step(module, inputs)
    torch.manual_seed(5)
    return difference(step(other, inputs), right)


def errors(module, inputs, seeds=6):
    """Of each result and gradient, for several arguments: the difference from
    eager, and the errors of kexpr and of eager, from steps in f64."""
    found = {}
    for seed in range(seeds):
        torch.manual_seed(seed)
        inputs = tuple(torch.randn_like(one) for one in inputs)
        torch._dynamo.reset()
        ours = step(torch.compile(copy.deepcopy(module), backend=backend),
                    inputs)
        right = step(copy.deepcopy(module).double(),
                     tuple(one.double() for one in inputs))
        theirs = step(copy.deepcopy(module), inputs)
        names = ["result", *(name for name, _ in module.named_parameters())]
        for name, a, b, c in zip(names, ours, theirs, right, strict=True):
            found.setdefault(name, []).append((
                difference([a], [b]), difference([a.double()], [c]),
                difference([b.double()], [c])))
    return found


def check_optimizer(make):
    torch.manual_seed(2)
    ours = [torch.nn.Parameter(torch.randn(one))
            for one in ((64,), (32, 32), (1000,))]
    theirs = [torch.nn.Parameter(one.detach().clone()) for one in ours]
    first, second = make(ours), make(theirs)
    update = torch.compile(first.step, backend=backend)
    for _ in range(4):
        for a, b in zip(ours, theirs):
            a.grad = torch.randn_like(a)
            b.grad = a.grad.clone()
        update()
        second.step()
    return difference([one.detach() for one in ours],
                      [one.detach() for one in theirs])


def check_all():
    worst = 0.0
    for name, (module, inputs) in fragments().items():
        worst = max(worst, one := check_fragment(name, module, inputs))
        print(f"{name:16}{one:.2g}", flush=True)
    for name, make in optimizers().items():
        worst = max(worst, one := check_optimizer(make))
        print(f"{name:16}{one:.2g}", flush=True)
    print("the SE block's gradients, medians of 6: difference, and errors of "
          "kexpr and of eager from f64")
    for name, seen in errors(*fragments()["se"]).items():
        print(f"  {name:16}" + "".join(
            f"{statistics.median(one):9.1e}" for one in zip(*seen)))
    # Two gradients of the SE block, where eager itself errs by more.
    return worst > 3e-6


def shortest(calls, seconds=3.0, clock=time.process_time):
    """The least time of each call, made in turns; of the CPU unless said."""
    best = dict.fromkeys(calls, float("inf"))
    for call in calls.values():
        call()
        call()
    kexpr._core.settle()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, call in calls.items():
            begin = clock()
            call()
            best[name] = min(best[name], clock() - begin)
    return best


def show(name, best):
    eager = best["eager"]
    print(f"{name:24}{1e3 * eager:9.2f} ms" + "".join(
        f"  {which} {eager / one:5.2f}" for which, one in best.items()
        if which != "eager"), flush=True)


def pointwise():
    """Functions and their arguments of a suite of elementwise cases."""
    def adam(p, g, m, v):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        return p - 1e-3 * m / (v.sqrt() + 1e-8), m, v

    def polynomial(x):
        for i in range(40):
            x = x * 0.5 + x * x * 0.1 - i * 0.01
        return x
    gelu = torch.nn.functional.gelu
    return {
        "silu(a)*b": (lambda a, b: torch.nn.functional.silu(a) * b, 2),
        "tanh-GELU written out": (lambda x: 0.5 * x * (1 + torch.tanh(
            0.79788456 * (x + 0.044715 * x * x * x))), 1),
        "gelu(x + b) + c": (lambda x, b, c: gelu(x + b) + c, 3),
        "Adam's formula": (adam, 4),
        "polynomial": (polynomial, 1),
    }


def times(names):
    torch.set_num_threads(1)
    backends = {"aot_eager": "aot_eager", "kexpr": backend,
                "inductor": "inductor"}
    if "quick" in names:
        names.remove("quick")
        del backends["inductor"]
    beside = []  # kexpr's time over Inductor's.
    for name, (function, count) in pointwise().items():
        for size in (32768, 1 << 22):
            if names and name not in names:
                continue
            given = [torch.rand(size) for _ in range(count)]
            torch._dynamo.reset()
            calls = {"eager": function} | {
                which: torch.compile(function, backend=one, dynamic=False)
                for which, one in backends.items()}
            best = shortest({which: lambda call=call: call(*given)
                             for which, call in calls.items()}, 1.5)
            show(f"{name} {size}", best)
            if "inductor" in best:
                beside.append(best["kexpr"] / best["inductor"])
    if beside:
        print("kexpr's time over Inductor's, geometric mean: "
              f"{statistics.geometric_mean(beside):.2f}")
    for size in (16, 100):
        for name, (function, given) in oceans(size).items():
            if names and name not in names:
                continue
            torch._dynamo.reset()
            calls = {"eager": function} | {
                which: torch.compile(function, backend=one, dynamic=False)
                for which, one in backends.items()}
            show(f"{name} {size ** 3}", shortest({
                which: lambda call=call: call(*given)
                for which, call in calls.items()}))
    for name, (module, inputs) in fragments().items():
        if names and name not in names:
            continue
        inputs = with_gradients(name, inputs)
        modules = {"eager": module} | {
            which: torch.compile(copy.deepcopy(module), backend=one)
            for which, one in backends.items()}
        if any(isinstance(one, torch.nn.Dropout) for one in module.modules()):
            modules["counter"] = torch.compile(
                copy.deepcopy(module), backend=backend,
                options={"random": "counter"})
        show(f"{name}, training", shortest({
            which: lambda one=one: step(one, inputs)
            for which, one in modules.items()}))
        for one in modules.values():
            one.eval()

        def infer(one):
            with torch.no_grad():
                one(*inputs)
        show(f"{name}, inference", shortest({
            which: lambda one=one: infer(one)
            for which, one in modules.items()}))
    for size in (4096, 65536):
        def optimizer(**given):
            params = [torch.nn.Parameter(torch.randn(size)) for _ in range(10)]
            for one in params:
                one.grad = torch.randn(size)
            return torch.optim.AdamW(params, **given)
        calls = {"eager": optimizer(foreach=False).step,
                 "fused=True": optimizer(fused=True).step}
        calls |= {which: torch.compile(optimizer(foreach=False).step,
                                       backend=one)
                  for which, one in backends.items()}
        if not names or "AdamW" in names:
            torch._dynamo.reset()
            show(f"AdamW, 10 of {size}", shortest(calls))
            # In turns each finds the others' tensors in the cache.
            show(f"AdamW alone, 10 of {size}", {
                which: shortest({which: call}, 1.0)[which]
                for which, call in calls.items()})


def pyhpc(path, size):
    """Functions of pyhpc-benchmarks without TorchScript, and their arguments."""
    sys.path.insert(0, path)
    with mock.patch("torch.jit.script", lambda function: function):
        for name, file, function in (
                ("equation_of_state", "eos", "gsw_dHdT"),
                ("isoneutral_mixing", "isoneutral", "isoneutral_diffusion_pre")):
            model = importlib.import_module(f"benchmarks.{name}")
            made = importlib.import_module(f"{model.__name__}.{file}_pytorch")
            yield (name, getattr(made, function),
                   [*map(torch.as_tensor, model.generate_inputs(size))])


def show_pyhpc(path, *sizes):
    torch.set_num_threads(1)
    for size in map(int, sizes or (4096, 1 << 20)):
        for name, function, given in pyhpc(path, size):
            torch._dynamo.reset()
            calls = {"eager": function} | {
                str(which): torch.compile(function, backend=one, dynamic=False)
                for which, one in (("aot_eager", "aot_eager"), ("kexpr", backend),
                                   ("inductor", "inductor"))}
            results = {which: call(*map(torch.clone, given))
                       for which, call in calls.items()}
            assert_close(results["kexpr"], results["eager"])
            show(f"{name} {size}", shortest({
                which: lambda call=call: call(*given)
                for which, call in calls.items()}, 8.0))


def first():
    """Medians of the first result of new functions, a warm process."""
    def make(n):
        return eval(f"lambda x, w: silu(x * {n}.5) * w + {n}",
                    {"silu": torch.nn.functional.silu})
    x = torch.rand(4096)
    spent = {"aot_eager": [], "kexpr": []}
    for n in range(24):
        for name, which in (("aot_eager", "aot_eager"), ("kexpr", backend)):
            torch._dynamo.reset()
            function = torch.compile(make(n), backend=which)
            begin = time.process_time()
            function(x, x)
            spent[name].append(time.process_time() - begin)
    for name, all_of in spent.items():
        print(f"{name:10}{1e3 * statistics.median(all_of[4:]):8.1f} ms")


FRESH = """
import os, shutil, sys, time
import torch, torch._dynamo
backend = sys.argv[1]
if backend == "kexpr":
    from kexpr.torch import backend
elif backend == "inductor":
    import torch._inductor.compile_fx
assert not any(shutil.which(one) for one in ("cc", "c++", "gcc", "g++", "clang"))
x, w = torch.rand(4096), torch.rand(4096)
f = torch.compile(lambda x, w: torch.nn.functional.silu(x) * w, backend=backend)
begin = time.perf_counter()
try:
    y = f(x, w)
except Exception as error:
    print("none:", type(error).__name__)
else:
    torch.testing.assert_close(y, torch.nn.functional.silu(x) * w)
    print(f"{time.perf_counter() - begin:.3f} s")
"""


def fresh(which):
    """What a new process says of its first result, where there is no compiler
    and nothing is cached."""
    package = str(pathlib.Path(kexpr.__file__).parents[1])
    with tempfile.TemporaryDirectory() as empty:
        kept = {one: os.environ[one] for one in ("LD_LIBRARY_PATH", "LANG")
                if one in os.environ}
        done = subprocess.run(
            [sys.executable, "-c", FRESH, which], text=True, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=kept | {
                "PATH": empty, "HOME": empty, "TMPDIR": empty,
                "TORCHINDUCTOR_CACHE_DIR": os.path.join(empty, "inductor"),
                "PYTHONPATH": package})
    return done.stdout.strip()


def show_fresh():
    for which in ("eager", "aot_eager", "kexpr", "inductor"):
        print(f"{which:10}", *(fresh(which) for _ in range(3)), sep="  ")


def threads():
    """Products and kernels in turns on two threads, beside each alone."""
    torch.set_num_threads(2)
    a, b, c = (torch.rand(512, 512) for _ in range(3))
    x, y = torch.rand(2, 1 << 20)

    def function(x, y):
        return torch.nn.functional.silu(x) * y + 1
    for name, region in (("eager", function), ("kexpr", torch.compile(
            function, backend=backend))):
        def product():
            torch.mm(a, b, out=c)

        def both(region=region):
            product()
            region(x, y)
        best = shortest({"mm": product, "region": lambda: region(x, y),
                         "both": both}, 8.0, time.perf_counter)
        print(f"{name:6}" + "".join(f"  {which} {1e6 * one:7.0f} us"
                                    for which, one in best.items())
              + f"  both / sum {best['both'] / (best['mm'] + best['region']):.3f}")


def share(names):
    """What part of an eager step products and convolutions are, by PyTorch's
    profiler."""
    torch.set_num_threads(1)
    for name in names:
        module, inputs = fragments()[name]
        inputs = with_gradients(name, inputs)

        def infer():
            with torch.no_grad():
                module(*inputs)
        for which, call in (("training", lambda: step(module, inputs)),
                            ("inference", infer)):
            module.train(which == "training")
            call()
            with torch.profiler.profile() as profile:
                for _ in range(20):
                    call()
            spent = {one.key: one.self_cpu_time_total
                     for one in profile.key_averages()}
            products = sum(
                time for key, time in spent.items() if key.removeprefix(
                    "aten::") in ("mm", "addmm", "bmm", "baddbmm",
                                  "mkldnn_convolution", "convolution_backward",
                                  "_scaled_dot_product_flash_attention_for_cpu",
                                  "_scaled_dot_product_flash_attention_for_cpu"
                                  "_backward"))
            print(f"{name}, {which}: {products / sum(spent.values()):.0%} "
                  "in products, convolutions and attention")


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.INFO)
    sys.stdout.reconfigure(line_buffering=True)
    print(f"torch {torch.__version__}, kexpr {kexpr.__version__}, "
          f"Python {sys.version.split()[0]}, {torch.get_num_threads()} threads")
    which, *names = sys.argv[1:] or ["fragments"]
    return {"ops": lambda: ops(names), "fragments": check_all,
            "times": lambda: times(names), "first": first,
            "pyhpc": lambda: show_pyhpc(*names),
            "fresh": show_fresh, "threads": threads,
            "share": lambda: share(names)}[which]()


if __name__ == "__main__":
    sys.exit(bool(main()))
