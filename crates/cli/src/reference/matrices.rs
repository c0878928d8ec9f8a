//! The matrices of a matrix instruction as tables: the register and the lane of each element.

use maud::{Markup, html};
use wavetank::Chip;
use wavetank_explain::{MatrixGrid, matrix_grids};

use super::frame::heading;
use super::instruction::Instruction;

/// Returns the tables; nothing for other instructions.
pub(super) fn matrices(instruction: &Instruction) -> Markup {
    let chip = Chip::from_name(instruction.newest().facts.chip);
    let grids = chip.and_then(|chip| matrix_grids(instruction.subject.0, chip));
    let Some(grids) = grids else {
        return html! {};
    };
    let shape = instruction.subject.0.row().shape;
    let is_sparse = shape.is_some_and(|shape| shape.sparse);
    html! {
        section {
            (heading("matrices", "Matrices in registers"))
            p {
                "A cell has the register of the operand, counted from its first, and in braces the lane."
                @if grids.iter().any(|grid| grid.bits < 32) {
                    " After a point follows the number of the element in the register, the lowest bits first."
                }
            }
            @for grid in &grids { (matrix(grid, is_sparse)) }
        }
    }
}

/// Returns the table of a matrix, folded, since most have hundreds of cells.
fn matrix(grid: &MatrixGrid, is_sparse: bool) -> Markup {
    let columns = grid.rows.first().map_or(0, Vec::len);
    let name = match grid.name {
        "D" => "C and D",
        name => name,
    };
    let [lanes, registers] = grid.step;
    let label = format!("{name}: {} rows, {columns} columns", grid.rows.len());
    let last = grid.blocks - 1;
    html! {
        details open[columns * grid.rows.len() <= 256] {
            summary { (label) }
            @if is_sparse && grid.name == "A" {
                p.note {
                    "The columns are those that are stored: 2n and 2n+1 are two of the columns 4n to 4n+3. Two bits of the index "
                    "in the same lane choose which."
                }
            }
            @if grid.blocks > 1 {
                p.note {
                    "The first of " (grid.blocks) " blocks. Block b, up to " (last) ", is "
                    @if lanes > 0 { (lanes) " · b lanes" }
                    @if registers > 0 { (registers) " · b registers" }
                    " further."
                }
            }
            div.scroll role="region" aria-label=(label) tabindex="0" {
                table.grid {
                    thead { tr { td {} @for column in 0..columns { th scope="col" { (column) } } } }
                    tbody {
                        @for (i, row) in grid.rows.iter().enumerate() {
                            tr {
                                th scope="row" { (i) }
                                @for place in row { td { (cell(place.register, place.lane, place.bit, grid.bits)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the text of a place: `3{17}`, of a packed element `0{17}.1`, of a double `2-3{17}`.
fn cell(register: usize, lane: usize, bit: u32, bits: u32) -> String {
    match bits {
        64 => format!("{register}-{}{{{lane}}}", register + 1),
        32 => format!("{register}{{{lane}}}"),
        _ => format!("{register}{{{lane}}}.{}", bit / bits),
    }
}
