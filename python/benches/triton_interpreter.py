"""The time of Triton's kernels on an emulated chip, beside that of Triton's interpreter: `python triton_interpreter.py [CHIP]`.

Each kernel runs in a process of its own in both ways, in turns; compiling does not count. The interpreter runs once, and wants
PyTorch.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, 0), inside)


@triton.jit
def product(a, b, out, n, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in range(0, n, DEPTH):
        left = tl.load(a + rows[:, None] * n + (first + depth)[None, :])
        right = tl.load(b + (first + depth)[:, None] * n + columns[None, :])
        sums = tl.dot(left, right, sums, input_precision="ieee")
    tl.store(out + rows[:, None] * n + columns[None, :], sums)


@triton.jit
def attention(q, k, v, out, length, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(1) * length * WIDTH
    rows, width = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    query = tl.load(q + head + rows[:, None] * WIDTH + width[None, :])
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    sums = tl.zeros((BLOCK, WIDTH), tl.float32)
    for first in range(0, length, BLOCK):
        keys = first + tl.arange(0, BLOCK)
        key = tl.load(k + head + keys[None, :] * WIDTH + width[:, None])
        scores = tl.dot(query, key, input_precision="ieee") * 0.125
        now = tl.maximum(most, tl.max(scores, 1))
        powers, old = tl.exp(scores - now[:, None]), tl.exp(most - now)
        total = total * old + tl.sum(powers, 1)
        value = tl.load(v + head + keys[:, None] * WIDTH + width[None, :])
        sums = tl.dot(powers, value, sums * old[:, None], input_precision="ieee")
        most = now
    tl.store(out + head + rows[:, None] * WIDTH + width[None, :], sums / total[:, None])


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    found = tl.histogram(tl.load(x + at, at < n, other=0), 256)
    tl.atomic_add(counts + tl.arange(0, 256), found)


@triton.jit
def sort(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


def floats(*shape):
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def launches(taken=lambda array: array):
    """Returns for each kernel a function that launches it, and one that says whether the result is right.

    ``taken`` makes of an array what kernels take.
    """
    x, out = floats(1024, 1000), np.zeros((1024, 1000), np.float32)
    powers = np.exp(x.astype(np.float64))
    a, b, c = floats(512, 512), floats(512, 512), np.zeros((512, 512), np.float32)
    q, k, v, o = floats(4, 512, 64), floats(4, 512, 64), floats(4, 512, 64), np.zeros((4, 512, 64), np.float32)
    scores = np.exp(q.astype(np.float64) @ k.transpose(0, 2, 1) * 0.125)
    numbers = np.random.default_rng(2).integers(0, 256, 1 << 16).astype(np.int32)
    counts = np.zeros(256, np.int32)
    keys, ordered = floats(16, 1024), np.zeros((16, 1024), np.float32)

    def count():
        counts[:] = 0
        histogram[(64,)](taken(numbers), taken(counts), 1 << 16, BLOCK=1024)

    return {
        "softmax": (
            lambda: softmax[(1024,)](taken(x), taken(out), 1000, BLOCK=1024),
            lambda: np.allclose(out, powers / powers.sum(1, keepdims=True), 1e-4, 1e-7),
        ),
        "product": (
            lambda: product[(8, 8)](taken(a), taken(b), taken(c), 512, BLOCK=64, DEPTH=32),
            lambda: np.allclose(c, a.astype(np.float64) @ b, 1e-3, 1e-3),
        ),
        "attention": (
            lambda: attention[(8, 4)](*map(taken, (q, k, v, o)), 512, WIDTH=64, BLOCK=64),
            lambda: np.allclose(o, scores / scores.sum(2, keepdims=True) @ v, 1e-3, 1e-3),
        ),
        "histogram": (count, lambda: (counts == np.bincount(numbers, minlength=256)).all()),
        "sort": (lambda: sort[(16,)](taken(keys), taken(ordered), BLOCK=1024), lambda: (ordered == np.sort(keys)).all()),
    }


def run(name, chip):
    """Prints the milliseconds of a launch: the best of ten, and of one for the interpreter."""
    interpreted = chip == "interpreter"
    if not interpreted:
        import wavetank.triton

        wavetank.triton.activate(chip)
        launch, is_right = launches()[name]
        launch()
    else:
        import torch

        launch, is_right = launches(torch.from_numpy)[name]
    times = []
    for _ in range(1 if interpreted else 10):
        start = time.perf_counter()
        launch()
        times.append(1e3 * (time.perf_counter() - start))
    print(json.dumps({"ms": min(times), "right": bool(is_right())}))


def timed(name, chip):
    environment = {**os.environ, **({"TRITON_INTERPRET": "1"} if chip == "interpreter" else {})}
    done = subprocess.run([sys.executable, __file__, name, chip], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if len(sys.argv) == 3:
        return run(*sys.argv[1:])
    chip = sys.argv[1] if len(sys.argv) == 2 else "gfx906"
    print(f"{'':12}{chip:>10}{'interpreter':>14}{'ratio':>8}")
    for name in launches():
        here, there = timed(name, chip), timed(name, "interpreter")
        wrong = "" if here["right"] and there["right"] else "  WRONG"
        print(f"{name:12}{here['ms']:7.2f} ms{there['ms']:11.0f} ms{there['ms'] / here['ms']:8.0f}{wrong}")


if __name__ == "__main__":
    main()
