//! `conformance/mfma-dots.tsv`: sums of an exact implementation in fractions, which gives the results that the authors of MMA-Sim
//! have measured on silicon.

use wavetank_matrix::{ElementType, Matrix, Model, Shape};

use crate::common::{model, shared};

/// A row of the table.
pub(crate) struct Dot {
    pub(crate) model: Model,
    pub(crate) kind: String,
    pub(crate) shape: Shape,
    pub(crate) a: Vec<u64>,
    pub(crate) b: Vec<u64>,
    pub(crate) c: u64,
    pub(crate) d: u64,
}

fn element(name: &str) -> ElementType {
    match name {
        "f64" => ElementType::F64,
        "f32" => ElementType::F32,
        "xf32" => ElementType::Xf32,
        "f16" => ElementType::F16,
        "bf16" => ElementType::Bf16,
        "fp8" => ElementType::Fp8,
        "bf8" => ElementType::Bf8,
        _ => panic!("{name} is not an element type"),
    }
}

/// A shape of the chip with these elements and this K, of one block if there is one.
fn shape_of(model: Model, kind: &str, k: usize) -> Shape {
    let (kind, is_1k) = kind
        .strip_suffix("_1k")
        .map_or((kind, false), |k| (k, true));
    let (a, b) = kind.split_once('_').unwrap_or((kind, kind));
    let (a, b) = (element(a), element(b));
    let fits = |shape: &Shape| {
        // Two elements of bf16 a lane but for `_1k` and gfx942.
        let e = shape.a_elements();
        let is_form = a != ElementType::Bf16
            || e == if is_1k || model == Model::Gfx942 {
                4
            } else {
                2
            };
        !shape.sparse && (shape.a, shape.b, usize::from(shape.k)) == (a, b, k) && is_form
    };
    Shape::all(model)
        .filter(fits)
        .min_by_key(|shape| shape.blocks)
        .unwrap_or_else(|| panic!("{model:?} has {kind} with K = {k}"))
}

/// Reads the table.
pub(crate) fn dots() -> Vec<Dot> {
    let Some(text) = shared("conformance/mfma-dots.tsv") else {
        return Vec::new();
    };
    let hex = |text: &str| u64::from_str_radix(text, 16).expect("hexadecimal");
    let list = |text: &str| text.split(',').map(hex).collect::<Vec<u64>>();
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [chip, kind, a, b, c, d] = columns[..] else {
            panic!("six columns: {line}")
        };
        let (a, b) = (list(a), list(b));
        let shape = shape_of(model(chip), kind, a.len());
        Dot {
            model: model(chip),
            kind: kind.to_owned(),
            shape,
            a,
            b,
            c: hex(c),
            d: hex(d),
        }
    };
    text.lines().map(row).collect()
}

#[test]
fn sums_are_those_of_the_table() {
    for dot in dots() {
        let matrix = Matrix::new(dot.model, dot.shape).expect("an instruction");
        let d = matrix
            .rule()
            .dot(dot.shape.a, dot.shape.b, dot.c, &dot.a, &dot.b);
        assert_eq!(
            d, dot.d,
            "{:?} {} {:x?} {:x?} {:x}: {d:x}, not {:x}",
            dot.model, dot.kind, dot.a, dot.b, dot.c, dot.d
        );
    }
}
