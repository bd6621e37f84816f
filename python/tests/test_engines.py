"""Kernels in the workers of Ray and Spark. Each test is a program of its own,
as users write them: what `jit` makes there is of `__main__`."""

import os
import subprocess
import sys

import pytest

RAY = """
import os
import numpy as np, ray
import kexpr as kx

@kx.jit
def scaled(a, b):
    return a * b + 1

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
ray.data.DataContext.get_current().enable_progress_bars = False
data = ray.data.range(10_000, override_num_blocks=4).map_batches(
    lambda batch: {"a": batch["id"] / 8, "b": batch["id"] % 5})

def is_shared(batch):
    return {"shared": [not batch["a"].flags.writeable],
            "threads": [os.environ["OMP_NUM_THREADS"]]}

facts = data.materialize().map_batches(is_shared, batch_size=None).take_all()
assert all(one["shared"] and one["threads"] == "1" for one in facts), facts

i = np.arange(10_000)
for kernel in scaled, kx.compile("a*b + 1", "a b"):
    got = data.map_batches(kernel.columns("y")).to_pandas()
    np.testing.assert_array_equal(np.sort(got.y), np.sort(i / 8 * (i % 5) + 1))

parts = data.map_batches(kx.compile("[sum(a*b), amax(a)]", "a b").columns(
    ["total", "most"]), batch_size=1000).materialize()
assert parts.sum("total") == (i / 8 * (i % 5)).sum()
rows = parts.take_all()
assert len(rows) >= 10 and max(row["most"] for row in rows) == 9999 / 8

arrow = kx.compile("a*b + 1", "a b").arrow()
got = data.map_batches(lambda table: table.append_column("y", arrow(
    table["a"], table["b"])), batch_format="pyarrow").to_pandas()
np.testing.assert_array_equal(np.sort(got.y), np.sort(i / 8 * (i % 5) + 1))
print("fine")
"""

SPARK = """
import os, sys
import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession, functions as F
import kexpr as kx

@kx.jit
def scaled(a, b):
    return a * b + 1

os.environ["PYSPARK_PYTHON"] = sys.executable
spark = (SparkSession.builder.master("local[2]")
         .config("spark.ui.enabled", "false")
         .config("spark.driver.bindAddress", "127.0.0.1")
         .config("spark.driver.host", "127.0.0.1").getOrCreate())
data = spark.range(10_000).select(
    (F.col("id") % 7).alias("g"), (F.col("id") / 8).alias("a"),
    F.when(F.col("id") % 3 != 0, F.col("id").cast("double")).alias("b"))

kernel = kx.compile("a*b + 1", "a b")

@F.pandas_udf("double")
def over_pandas(a: pd.Series, b: pd.Series) -> pd.Series:
    return pd.Series(kernel(a, b))

for function in (F.arrow_udf(kernel.arrow(), "double"),
                 F.arrow_udf(scaled.arrow(), "double"), over_pandas):
    off = data.filter(~function("a", "b").eqNullSafe(F.expr("a*b + 1")))
    assert off.count() == 0
    assert data.filter(function("a", "b").isNull()).count() == 3334

kernel_of_sum = kx.compile("sum(a*b)", "a b")
total = F.arrow_udf(kernel_of_sum.arrow(scalar=True), "double")

@F.pandas_udf("double")
def pandas_total(a: pd.Series, b: pd.Series) -> float:
    return float(kernel_of_sum(a, b))

whole = data.dropna().groupBy("g")
theirs = dict(whole.agg(F.expr("sum(a*b)")).collect())
for groups, function in (data.groupBy("g"), total), (whole, pandas_total):
    ours = dict(groups.agg(function("a", "b")).collect())
    assert ours.keys() == theirs.keys()
    assert all(abs(ours[g] - theirs[g]) <= 1e-12 * theirs[g] for g in theirs)

@F.arrow_udf("string")
def threads(a: pa.Array) -> pa.Array:
    return pa.array([os.environ["OMP_NUM_THREADS"]] * len(a))

assert data.select(threads("a")).first()[0] == "1"
print("fine")
"""


@pytest.mark.parametrize("host, program", [("ray", RAY), ("pyspark", SPARK)],
                         ids=["ray", "spark"])
def test_engine(host, program, tmp_path):
    pytest.importorskip(host)
    path = tmp_path / "program.py"
    path.write_text(program)
    result = subprocess.run([sys.executable, "-W", "ignore", path], text=True,
                            cwd=tmp_path, env=os.environ, timeout=900,
                            capture_output=True)
    assert result.stdout.strip().endswith("fine"), result.stderr[-3000:]
