#!/usr/bin/env python3
"""Writes suatom.wt and typed_atomic.wt beside itself: what the tables of the two instructions say, one thread after the
other, on a list of elements. `python3 tests/atomics/make.py` makes the same files each time."""

import pathlib
import struct

HERE = pathlib.Path(__file__).parent
STATE = 1


def random(n):
    """A number below n, the same in every run."""
    global STATE
    STATE = (STATE * 6364136223846793005 + 1442695040888963407) % 2**64
    return (STATE >> 33) % n


def signed(value, bits):
    return value - 2**bits if value >> (bits - 1) else value


FORMATS = {16: "e", 32: "f"}
INTEGERS = {16: "H", 32: "I"}


def number(bits_of, bits):
    return struct.unpack("<" + FORMATS[bits], struct.pack("<" + INTEGERS[bits], bits_of))[0]


def bits_of(value, bits):
    return struct.unpack("<" + INTEGERS[bits], struct.pack("<" + FORMATS[bits], value))[0]


def flushed(value, bits):
    """Denormals are zeros of their sign."""
    exponent = {16: 0x7C00, 32: 0x7F800000}[bits]
    return value if value & exponent else value & 1 << (bits - 1)


def added(old, a, bits):
    total = number(flushed(old, bits), bits) + number(flushed(a, bits), bits)
    return flushed(bits_of(total, bits), bits)


def halves(old, a, change):
    return sum(change(old >> at & 0xFFFF, a >> at & 0xFFFF) << at for at in (0, 16))


def suatom(op, size, old, a, b):
    """The column "Description" of the table: the new value of M. `a` is Rb, `b` the value behind it."""
    bits = 64 if size.endswith("64") else 32
    ones = 2**bits - 1
    if size == "F16x2.FTZ.RN":
        order = lambda h: number(flushed(h, 16), 16)
        return halves(old, a, {
            "ADD": lambda x, y: added(x, y, 16),
            "MIN": lambda x, y: flushed(min(x, y, key=order), 16),
            "MAX": lambda x, y: flushed(max(x, y, key=order), 16),
        }[op])
    if size == "F32.FTZ.RN":
        return added(old, a, 32)
    if op == "ADD" and size.startswith("SD"):
        limit = 2 ** (bits - 1)
        return max(-limit, min(limit - 1, signed(old, bits) + signed(a, bits))) & ones
    order = (lambda v: v) if size.startswith("U") else (lambda v: signed(v, bits))
    return {
        "ADD": lambda: old + a & ones,
        "MIN": lambda: min(old, a, key=order),
        "MAX": lambda: max(old, a, key=order),
        "INC": lambda: 0 if old >= a else old + 1,
        "DEC": lambda: a if old == 0 or old > a else old - 1,
        "AND": lambda: old & a,
        "OR": lambda: old | a,
        "XOR": lambda: old ^ a,
        "EXCH": lambda: a,
        "CAS": lambda: b if old == a else old,
    }[op]()


INTEGER = ["U32", "S32", "SD32", "U64"]
SUATOM = {
    "ADD": INTEGER + ["F32.FTZ.RN", "F16x2.FTZ.RN"],
    "MIN": INTEGER + ["S64", "SD64", "F16x2.FTZ.RN"],
    "MAX": INTEGER + ["S64", "SD64", "F16x2.FTZ.RN"],
    "INC": ["U32"],
    "DEC": ["U32"],
    "AND": INTEGER,
    "OR": INTEGER,
    "XOR": INTEGER,
    "EXCH": ["U32", "S32", "U64"],
    "CAS": ["U32", "S32", "U64"],
}
DIMENSIONS = {
    "1D": [5],
    "1D_BUFFER": [5],
    "1D_ARRAY": [3, 2],
    "2D": [3, 2],
    "2D_ARRAY": [2, 2, 2],
    "3D": [2, 2, 2],
}


def value(bits, floats):
    """An operand: a corner, or anything that is no NaN."""
    if floats:
        if bits == 32 and floats == 32:
            return bits_of((random(4001) - 2000) / 8, 32)
        return sum(bits_of((random(401) - 200) / 8, 16) << at for at in range(0, bits, 16))
    corners = [0, 1, 2, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1]
    n = random(2 * len(corners))
    return corners[n] if n < len(corners) else random(2**31) * random(2**31) % 2**bits


def listed(values):
    return ", ".join(hex(v) if v > 9 else str(v) for v in values)


def coordinates(sides, threads, outside):
    """One list a side: inside, some the same, and if that is asked for below and above."""
    at = [[random(side) for _ in range(threads)] for side in sides]
    if outside:
        which = random(len(sides))
        at[which][2] = -1 - random(3)
        at[which][5] = sides[which] + random(3)
    for side in at:
        side[threads - 1] = side[0]
    return at


def place(sides, at):
    index = 0
    for side, c in reversed(list(zip(sides, at))):
        index = index * side + c
    return index


# In .P the surface's elements say what .sz says otherwise.
FORMATTED = {"U32": "u32", "S32": "s32", "F32.FTZ.RN": "f32"}


def suatom_case(op, size, dim, clamp, mode="D"):
    bits = 64 if size.endswith("64") else 32
    floats = 16 if size.startswith("F16") else 32 if size.startswith("F32") else 0
    sides, threads = DIMENSIONS[dim], 8
    count = 1
    for side in sides:
        count *= side
    elements = [value(bits, floats) for _ in range(count)]
    first = listed(elements)
    at = coordinates(sides, threads, clamp != ".TRAP")
    a = [value(bits, floats) for _ in range(threads)]
    b = [value(bits, floats) for _ in range(threads)]
    if op == "CAS":
        a = [elements[random(count)] if random(2) else x for x in a]
    old = []
    for n in range(threads):
        here = [side[n] for side in at]
        if dim.endswith("ARRAY"):
            here[-1] &= 0xFFFF
        if clamp == "":
            here = [max(0, min(side - 1, c)) for side, c in zip(sides, here)]
        if not all(0 <= c < side for side, c in zip(sides, here)):
            old.append(0)
            continue
        where = place(sides, here)
        old.append(elements[where])
        elements[where] = suatom(op, size, elements[where], a[n], b[n])
    pair = lambda n: f"R[{n}:{n + 1}]" if bits == 64 else f"R{n}"
    formatted = mode == "P"
    element = FORMATTED[size] if formatted else "u64" if bits == 64 else "u32"
    shape = "x".join(map(str, sides))
    layout = ["", " pitch 64", " blocks 1x1"][random(3)]
    kind = f"P.{op} {element}" if formatted else f"{op}.{size}"
    lines = [f"case {kind} {dim} {clamp or '.NEAR'}"]
    lines.append(f"surface T6 {dim.lower()} {shape} {element} {first}{layout}")
    lines += [f"R{12 + n} = {', '.join(map(str, side))}" for n, side in enumerate(at)]
    lines.append(f"{pair(4)} = {listed(a)}")
    if op == "CAS":
        lines.append(f"{pair(4 + bits // 32)} = {listed(b)}")
    handle = "R1" if random(2) else "0x10"
    lines.append("R1 = 0x12300006" if handle == "R1" else "c[0x40] = 0x12300006")
    lines.append("exec = 0xff")
    shown = "" if formatted or size == "U32" and random(2) else "." + size
    lines.append(f"> SUATOM.{mode}.{dim}.{op}{shown}{clamp} R10, [R12], R4, {handle};")
    lines.append(f"{pair(10)} = {listed(old)}")
    lines.append(f"T6 = {listed(elements)}")
    return "\n".join(lines)


def typed(op, bits, old, a, b):
    """What TYPED_ATOMIC stores, and what it returns. `a` is src0, `b` src1."""
    ones = 2**bits - 1
    by = lambda v: signed(v, bits)
    real = lambda v: number(v, bits)
    new = {
        "add": lambda: old + a & ones,
        "sub": lambda: old - a & ones,
        "inc": lambda: old + 1 & ones,
        "dec": lambda: old - 1 & ones,
        "min": lambda: min(old, a),
        "max": lambda: max(old, a),
        "xchg": lambda: a,
        "cmpxchg": lambda: a if old == b else old,
        "and": lambda: old & a,
        "or": lambda: old | a,
        "xor": lambda: old ^ a,
        "imin": lambda: min(old, a, key=by),
        "imax": lambda: max(old, a, key=by),
        "predec": lambda: old - 1 & ones,
        "fmax": lambda: max(old, a, key=real),
        "fmin": lambda: min(old, a, key=real),
        "fcmpwr": lambda: b if real(old) == real(a) else old,
        "fadd": lambda: bits_of(real(old) + real(a), bits),
        "fsub": lambda: bits_of(real(old) - real(a), bits),
    }[op]()
    return new, new if op == "predec" else old


TYPED = "add sub inc dec min max xchg cmpxchg and or xor imin imax predec fmax fmin fcmpwr fadd fsub".split()


def typed_case(op, bits, dim):
    floats = bits if op.startswith("f") else 0
    sides, threads = DIMENSIONS[dim], 8
    count = 1
    for side in sides:
        count *= side
    draw = lambda: bits_of((random(401) - 200) / 8, bits) if floats else value(bits, 0)
    elements = [draw() for _ in range(count)]
    first = listed(elements)
    at = coordinates(sides, threads, True)
    a, b = [draw() for _ in range(threads)], [draw() for _ in range(threads)]
    if op == "cmpxchg":
        b = [elements[random(count)] if random(2) else x for x in b]
    if op == "fcmpwr":
        a = [elements[random(count)] if random(2) else x for x in a]
    results = []
    for n in range(threads):
        here = [side[n] for side in at]
        if not all(0 <= c < side for side, c in zip(sides, here)):
            results.append(0)
            continue
        where = place(sides, here)
        elements[where], result = typed(op, bits, elements[where], a[n], b[n])
        results.append(result)
    shape = "x".join(map(str, sides))
    lines = [f"case {op}{'.16' if bits == 16 else ''} {dim}"]
    lines.append(f"surface T6 {dim.lower()} {shape} u{bits} {first}")
    lines += [f"V{32 + n} = {', '.join(map(str, side))}" for n, side in enumerate(at)]
    null = "%null.0"
    operands = [f"V{32 + n}.0" if n < len(sides) else null for n in range(3)] + [null]
    unary = op in ("inc", "dec", "predec")
    operands.append(null if unary else "V36.0")
    operands.append("V37.0" if op in ("cmpxchg", "fcmpwr") else null)
    # Of each dword the lower half counts.
    waste = [0xABCD0000 if bits == 16 else 0] * threads
    if not unary:
        lines.append(f"V36 = {listed(x | w for x, w in zip(a, waste))}")
    if operands[5] != null:
        lines.append(f"V37 = {listed(x | w for x, w in zip(b, waste))}")
    name = {"imin": "minsint", "imax": "maxsint"}.get(op, op)
    lines.append(f"> typed_atomic.{name}{'.16' if bits == 16 else ''} (M1, 8) T6 {' '.join(operands)} V38.0")
    lines.append(f"V38 = {listed(results)}")
    lines.append(f"T6 = {listed(elements)}")
    return "\n".join(lines)


def write(name, isa, about, cases):
    head = f"# {about}\n# Written by make.py, which has the tables as a plain program.\n\nisa {isa}\n\n"
    (HERE / name).write_text(head + "\n\n".join(cases) + "\n")


raw = [
    suatom_case(op, size, dim, clamp)
    for op, sizes in SUATOM.items()
    for size in sizes
    for dim in DIMENSIONS
    for clamp in (".IGN", "", ".TRAP")
]
vectors = [
    typed_case(op, bits, dim)
    for op in TYPED
    for bits in (32, 16)
    for dim in DIMENSIONS
    if dim != "1D_BUFFER"
]
formatted = [
    suatom_case(op, size, dim, "", "P")
    for op, sizes in SUATOM.items()
    for size in FORMATTED
    if size in sizes
    for dim in DIMENSIONS
]
write(
    "suatom.wt",
    "maxwell:52",
    "SUATOM: each operation, size, dimension and clamp, by the table of SPA 5.2.",
    raw + formatted,
)
write(
    "typed_atomic.wt",
    "visa",
    "TYPED_ATOMIC: each operation, width and kind of surface, by the tables of vISA.",
    vectors,
)
