//! `wavetank isa --html`: the tables of the matrices of CDNA, against the closed forms of AMD's matrix instruction calculator.

use wavetank_gcn::shapes::Shape;
use wavetank_gcn::{Chip, Op};

use crate::reference::page;

/// The cells of a page's table of a matrix, row by row. The label of the table begins with the name of the matrix.
fn cells(page: &str, name: &str) -> Vec<Vec<String>> {
    let label = format!("aria-label=\"{name}: ");
    let (_, table) = page.split_once(&label).expect("the table");
    let (_, body) = table.split_once("<tbody>").expect("a body");
    let (body, _) = body.split_once("</tbody>").expect("its end");
    let row = |row: &str| {
        let cells = row.split("<td>").skip(1);
        let text = |cell: &str| cell.split('<').next().unwrap_or_default().to_owned();
        cells.map(text).collect()
    };
    body.split("<tr>").skip(1).map(row).collect()
}

/// A[i][k] of block 0: lane (k div e)·M·B + i, element k mod e of the lane, e = K·M·B/64. B alike, with N and j.
fn factor(rows: u16, k: u16, blocks: u16, bits: u32, i: u16, at: u16) -> String {
    let each = k * rows * blocks / 64;
    let (lane, element) = (at / each * rows * blocks + i, u32::from(at % each));
    let bit = element * bits;
    match bits {
        64 => format!("0-1{{{lane}}}"),
        32 => format!("{element}{{{lane}}}"),
        _ => format!("{}{{{lane}}}.{}", bit / 32, bit % 32 / bits),
    }
}

/// D[i][j] of block 0.
fn result(shape: &Shape, i: u16, j: u16) -> String {
    if shape.d.bits() == 64 {
        let (register, lane) = match shape.m {
            4 => (0, 16 * i + j),
            _ => (2 * (i / 4), 16 * (i % 4) + j),
        };
        return format!("{register}-{}{{{lane}}}", register + 1);
    }
    let (register, lane) = match shape.m {
        32 => (4 * (i / 8) + i % 4, 32 * ((i / 4) % 2) + j),
        16 => (i % 4, 16 * (i / 4) + j),
        _ => (i, j),
    };
    format!("{register}{{{lane}}}")
}

#[test]
fn every_cell_is_where_the_calculator_has_it() {
    let executed = |op: &Op| {
        let mut chips = Chip::EXECUTED.iter();
        chips.any(|chip| op.row().exists_on(*chip))
    };
    let mut count = 0;
    for op in Op::all().filter(executed) {
        let Some(shape) = op.row().shape else {
            continue;
        };
        let name = op.row().mnemonics.iter().flatten().next().expect("a name");
        let page = page(&format!("gcn/{name}.html"));
        let stored = shape.k / if shape.sparse { 2 } else { 1 };
        let Shape {
            m, n, k, blocks, ..
        } = shape;
        let grid = |rows: u16, columns: u16, cell: &dyn Fn(u16, u16) -> String| -> Vec<Vec<_>> {
            let row = |i| (0..columns).map(|j| cell(i, j)).collect();
            (0..rows).map(row).collect()
        };
        let a = |i, at| factor(m, stored, blocks, shape.a.bits(), i, at);
        let b = |at, j| factor(n, k, blocks, shape.b.bits(), j, at);
        assert_eq!(cells(page, "A"), grid(m, stored, &a), "A of {name}");
        assert_eq!(cells(page, "B"), grid(k, n, &b), "B of {name}");
        let d = |i, j| result(&shape, i, j);
        assert_eq!(cells(page, "C and D"), grid(m, n, &d), "D of {name}");
        count += 1;
    }
    // 20 of gfx908, 7 more of gfx90a, and 26 of gfx942 alone.
    assert_eq!(count, 20 + 7 + 26);
}

#[test]
fn other_instructions_have_no_matrices() {
    assert!(!page("gcn/v_add_f32.html").contains("Matrices in registers"));
    assert!(!page("gcn/v_accvgpr_read_b32.html").contains("Matrices in registers"));
}

/// AMD's calculator, v_mfma_f32_32x32x1f32: block 1 of A and B is 32 lanes after block 0, and that of D 16 registers.
#[test]
fn other_blocks_are_told_by_their_distance() {
    let page = page("gcn/v_mfma_f32_32x32x1f32.html");
    let words: String = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("32 · b lanes further").count(), 2);
    assert_eq!(words.matches("16 · b registers further").count(), 1);
}
