//! Directives that set and query the target: format of the binary, chip, width of addresses.

use wavetank_gcn::{Chip, Generation};

use crate::expression::Expr;
use crate::session::program::Format;
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::Definition;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".amd", |a, c| choose(a, c, Format::Amd)),
    row(".amdcl2", |a, c| choose(a, c, Format::AmdCl2)),
    row(".gallium", |a, c| choose(a, c, Format::Gallium)),
    row(".rocm", |a, c| choose(a, c, Format::Rocm)),
    row(".rawcode", |a, c| choose(a, c, Format::Raw)),
    row(".format", |a, mut c| { let format = Format::named(&mut c)?; choose(a, c, format) }),
    row(".32bit", |a, c| { a.program.wide = false; c.end() }),
    row(".64bit", |a, c| { a.program.wide = true; c.end() }),
    row(".macrocase", |a, c| { a.program.cased = false; c.end() }),
    row(".nomacrocase", |a, c| { a.program.cased = true; c.end() }),
    row(".gpu", gpu),
    row(".arch", arch),
    row(".get_format", |a, c| { let number = a.program.format.number(); ask(a, c, number) }),
    row(".get_64bit", |a, c| { let wide = a.program.wide.into(); ask(a, c, wide) }),
    row(".get_arch", |a, c| { let number = a.asm.chip.generation() as i64; ask(a, c, number) }),
    row(".get_gpu", |a, c| { let number = number_of(a.asm.chip); ask(a, c, number) }),
    row(".get_version", |a, c| ask(a, c, VERSION)),
    row(".get_policy", |a, c| ask(a, c, VERSION)),
    row(".driver_version", |a, mut c| { a.program.driver = a.asm.number(&mut c)?; c.end() }),
    row(".llvm_version", |a, mut c| { a.program.llvm = Some(a.asm.number(&mut c)?); c.end() }),
    row(".get_driver_version", |a, c| { let number = a.program.driver; ask(a, c, number) }),
    row(".get_llvm_version", |a, c| { let number = *a.program.llvm.get_or_insert(LLVM); ask(a, c, number) }),
    // Directives for drivers that do not run here, and directives without effect.
    row(".acl_version", ignore),
    row(".compile_options", ignore),
    row(".driver_info", ignore),
    row(".policy", ignore),
    row(".samplerinit", ignore),
    row(".samplerreloc", ignore),
    row(".arch_minor", ignore),
    row(".arch_stepping", ignore),
    row(".eflags", ignore),
    row(".newbinfmt", ignore),
    row(".nosectdiffs", ignore),
    row(".target", ignore),
    row(".tripple", ignore),
    row(".triple", ignore),
    row(".oldmodparam", ignore),
    row(".nooldmodparam", ignore),
    row(".buggyfplit", ignore),
    row(".nobuggyfplit", ignore),
    row(".lflags", ignore),
    row(".ln", ignore),
    row(".line", ignore),
    row(".file", ignore),
    row(".sbttl", ignore),
    row(".title", ignore),
    row(".tittle", ignore),
    row(".version", ignore),
];

/// The version of LLVM that a query returns if the source has not set one.
const LLVM: i64 = 40_000;

/// CLRX 0.1.9, its last release, in the numbering of `.get_version`.
const VERSION: i64 = 109;

/// CLRX's names of chips, with their numbers for `.get_gpu`. Of several names for one chip, the query returns the first.
#[rustfmt::skip]
const GPUS: &[(&str, Chip, i64)] = &[
    ("capeverde", Chip::Gfx601, 0), ("pitcairn", Chip::Gfx601, 1), ("tahiti", Chip::Gfx600, 2), ("oland", Chip::Gfx602, 3),
    ("bonaire", Chip::Gfx704, 4), ("spectre", Chip::Gfx700, 5), ("spooky", Chip::Gfx700, 6), ("kalindi", Chip::Gfx703, 7),
    ("hainan", Chip::Gfx602, 8), ("hawaii", Chip::Gfx701, 9), ("tonga", Chip::Gfx802, 11), ("iceland", Chip::Gfx802, 10),
    ("mullins", Chip::Gfx703, 12), ("fiji", Chip::Gfx803, 13), ("carrizo", Chip::Gfx801, 14), ("stoney", Chip::Gfx810, 18),
    ("ellesmere", Chip::Gfx803, 19), ("baffin", Chip::Gfx803, 20), ("gfx804", Chip::Gfx803, 21), ("gfx900", Chip::Gfx900, 22),
];

fn number_of(chip: Chip) -> i64 {
    let row = GPUS.iter().find(|row| row.1 == chip);
    row.map_or(22, |row| row.2)
}

/// Reads the name of a chip.
pub(super) fn chip_named(cursor: &mut Cursor<'_>) -> Result<Chip, SyntaxError> {
    let place = cursor.span();
    let name = cursor.piece();
    let row = GPUS.iter().find(|row| row.0.eq_ignore_ascii_case(name));
    let chip = row.map(|row| row.1).or_else(|| Chip::from_name(name));
    chip.ok_or_else(|| {
        let message = format!("`{name}` is not a chip of these: Tahiti, Bonaire, Fiji, gfx900, …");
        syntax_error(place, message)
    })
}

/// Reads the name of an architecture.
pub(super) fn generation_named(cursor: &mut Cursor<'_>) -> Result<Generation, SyntaxError> {
    let place = cursor.span();
    let name = cursor.piece();
    Ok(match name.to_ascii_lowercase().as_str() {
        "si" | "gfx6" | "gcn1.0" => Generation::Gfx6,
        "ci" | "gfx7" | "gcn1.1" => Generation::Gfx7,
        "vi" | "gfx8" | "gcn1.2" => Generation::Gfx8,
        "vega" | "gfx9" | "gcn1.4" | "gcn1.4.1" | "vega20" | "gfx906" => Generation::Gfx9,
        _ => {
            let message = format!("`{name}` is none of GCN1.0, GCN1.1, GCN1.2, GCN1.4");
            return Err(syntax_error(place, message));
        }
    })
}

fn choose(a: &mut Session<'_>, cursor: Cursor<'_>, format: Format) -> Result<(), SyntaxError> {
    a.program.format = format;
    cursor.end()
}

fn gpu(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.at()..cursor.text().len();
    let name = cursor.rest().trim().to_ascii_lowercase();
    let chip = chip_named(&mut cursor)?;
    cursor.end()?;
    a.program.product = Some(name);
    a.allows(chip, place)?;
    go_on(a, chip);
    Ok(())
}

/// Handles `.arch NAME`: keeps the requested chip if it has that architecture, else takes CLRX's first chip that has it.
fn arch(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.at()..cursor.text().len();
    let generation = generation_named(&mut cursor)?;
    cursor.end()?;
    if generation == a.asm.chip.generation() {
        return Ok(());
    }
    let chip = match generation {
        Generation::Gfx6 => Chip::Gfx601,
        Generation::Gfx7 => Chip::Gfx704,
        Generation::Gfx8 => Chip::Gfx802,
        Generation::Gfx9 => Chip::Gfx900,
    };
    a.allows(chip, place)?;
    go_on(a, chip);
    Ok(())
}

fn go_on(a: &mut Session<'_>, chip: Chip) {
    chip.name().clone_into(&mut a.asm.target.chip);
    a.asm.set_chip(chip);
}

/// Handles `.get_… SYMBOL`, which sets the symbol to a number.
fn ask(a: &mut Session<'_>, mut cursor: Cursor<'_>, number: i64) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.end()?;
    a.asm.define(
        &name,
        place,
        Definition::Variable(Expr::Number(number)),
        true,
    )
}

fn ignore(_: &mut Session<'_>, _: Cursor<'_>) -> Result<(), SyntaxError> {
    Ok(())
}
