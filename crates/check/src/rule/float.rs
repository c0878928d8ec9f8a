//! Rules of `float`.

use super::row::Example::Hip;
use super::row::Rule;
use crate::tool::Tool::Float;

const LIMITS: &str = "Steps of a division, and values that a select, minimum, maximum or clamp of the same basic block drops, are left out. \
                      Selects after a branch are not followed, so correct code may be reported: the tool is off unless it is named.";

pub(super) const RULES: &[Rule] = &[
    Rule {
        tool: Float,
        name: "nan",
        finds: "The result of an instruction is a NaN, and no operand is one.",
        why: "This is where the NaN comes from that the results of the program show.",
        example: Hip(
            "out[i] = sqrtf(x[i]); // x[i] is -5",
            "tests/check/float_root.hip",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Float,
        name: "infinity",
        finds: "The result of an instruction is infinite, and no operand is; a division by zero is one.",
        why: "The number is too large for the format, or its divisor is 0.",
        example: Hip(
            "out[i] = x[i] / y[i]; // y[i] is 0",
            "tests/check/float_division.hip",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Float,
        name: "flushed",
        finds: "The result of an instruction differs since a denormal was taken for zero, by the mode or by the instruction.",
        why: "Numbers below 2^-126 are lost in single precision, and a quotient by one of them is infinite.",
        example: Hip(
            "out[i] = __expf(x[i]); // x[i] is -89",
            "tests/check/float_flushed.hip",
        ),
        limits: LIMITS,
    },
    Rule {
        tool: Float,
        name: "conversion",
        finds: "A NaN, or a number that the integer type does not have, becomes an integer.",
        why: "C++ leaves the result undefined. These chips saturate, and other GPUs may do otherwise.",
        example: Hip(
            "out[i] = (int)x[i]; // x[i] is 3e9",
            "tests/check/float_to_int.hip",
        ),
        limits: "Conversions that are meant to saturate look the same. Conversions to integers of less than 32 bits by way of 32 are not seen.",
    },
];
