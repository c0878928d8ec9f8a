//! The entry points of the crate: from source text to instructions, to an object file or to plain machine code.

use std::rc::Rc;

use wavetank_gcn::{Chip, Dialect};
use wavetank_link::Relocatable;

use crate::assembler::Known;
use crate::assembly::Assembly;
use crate::directive::handlers;
use crate::errors::Errors;
use crate::line::Line;
use crate::options::Options;
use crate::session::Session;
use crate::source::may_have_names;

/// Assembles a source of instructions, labels and comments, with one statement a line (CLRX also separates statements by `;`).
///
/// `each` gets the instructions in source order with their final bytes, including the ones next to wrong lines. From the first
/// instruction that waits for a value, they are delivered after the whole source has been read. Code begins at address 0.
/// Directives are followed as [`assemble_object`] does, except `.include`, because there are no files here.
///
/// # Errors
///
/// All wrong lines of the source: invalid instructions, and labels that are missing or defined twice.
///
/// ```
/// use wavetank_asm::assemble;
/// use wavetank_gcn::{Chip, Dialect};
///
/// let mut texts = Vec::new();
/// let errors = assemble("s_nop 1\ns_nop s0\ns_branch end", Chip::Gfx900, Dialect::Llvm, |line| {
///     texts.push(line.inst.to_string());
/// });
/// let errors = errors.unwrap_err().0;
/// assert_eq!(texts, ["s_nop 1"]);
/// assert_eq!((errors[0].number, errors[1].number), (2, 3));
/// assert_eq!(errors[1].error.message, "there is no label `end`");
/// ```
pub fn assemble(
    source: &str,
    chip: Chip,
    dialect: Dialect,
    each: impl FnMut(&Line),
) -> Result<(), Errors> {
    let options = Options {
        dialect,
        ..Options::new(chip)
    };
    assemble_lines("", source, &options, each)
}

/// Assembles a source as [`assemble`] does, with options. `name` is the name of the source, shown in the errors of included
/// files.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::max_errors`].
pub fn assemble_lines(
    name: &str,
    source: &str,
    options: &Options<'_>,
    mut each: impl FnMut(&Line),
) -> Result<(), Errors> {
    let text: Rc<str> = source.into();
    let directives = handlers(options.dialect);
    // The length of an instruction does not depend on the place of its target. Sources without labels skip this pass.
    let known = if may_have_names(source) {
        let mut first = Session::new(name, text.clone(), options, directives, None, None);
        first.asm.silent = true;
        first.read_all(&text);
        first.asm.known()
    } else {
        Known::new()
    };
    let known = Some(known);
    let mut session = Session::new(
        name,
        text.clone(),
        options,
        directives,
        known,
        Some(&mut each),
    );
    session.read_all(&text);
    let layout = session.asm.layout();
    let left = session.resolve_fixups(&layout);
    session.asm.deliver_held(&layout, &left);
    checked(&mut session, options)
}

/// Assembles a source to a relocatable object: sections, symbols, and relocations for a linker.
///
/// `name` is the name of the source, shown in the errors of included files.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::max_errors`].
///
/// ```
/// use wavetank_asm::{Options, assemble_object};
/// use wavetank_gcn::Chip;
///
/// let source = ".globl f\n f: s_setpc_b64 s[30:31]\n .data\n .quad f";
/// let object = assemble_object("f.s", source, &Options::new(Chip::Gfx900))?;
/// assert_eq!(object.sections[0].bytes, [0x1e, 0x1d, 0x80, 0xbe]);
/// assert_eq!(object.sections[1].relocations.len(), 1);
/// # Ok::<(), wavetank_asm::Errors>(())
/// ```
pub fn assemble_object(
    name: &str,
    source: &str,
    options: &Options<'_>,
) -> Result<Relocatable, Errors> {
    Ok(assemble_whole(name, source, options)?.object)
}

/// Assembles a source as [`assemble_object`] does, and adds the container that a driver expects around the object.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::max_errors`].
pub fn assemble_whole(name: &str, source: &str, options: &Options<'_>) -> Result<Assembly, Errors> {
    let text: Rc<str> = source.into();
    let directives = handlers(options.dialect);
    let mut session = Session::new(name, text.clone(), options, directives, None, None);
    session.read_all(&text);
    session.add_kernels(handlers(Dialect::Llvm));
    let made = session.object();
    checked(&mut session, options)?;
    Ok(made)
}

/// Assembles a source to the plain bytes of its code, with all data among the instructions, for callers with a loader of their
/// own.
///
/// # Errors
///
/// The wrong lines of the source, at most [`Options::max_errors`]; values that only a linker can compute; code in several
/// sections.
///
/// ```
/// use wavetank_asm::{Options, assemble_code};
/// use wavetank_gcn::Chip;
///
/// let code = assemble_code("a.s", "s_movk_i32 s0, x\n.long 5\n.set x, 7", &Options::new(Chip::Gfx900))?;
/// assert_eq!(code, [7, 0, 0, 0xb0, 5, 0, 0, 0]);
/// # Ok::<(), wavetank_asm::Errors>(())
/// ```
pub fn assemble_code(name: &str, source: &str, options: &Options<'_>) -> Result<Vec<u8>, Errors> {
    let text: Rc<str> = source.into();
    let directives = handlers(options.dialect);
    let mut session = Session::new(name, text.clone(), options, directives, None, None);
    session.read_all(&text);
    let code = session.code();
    checked(&mut session, options)?;
    Ok(code)
}

/// Returns the errors of a source in the order of its lines, or `Ok` if there are none.
fn checked(session: &mut Session<'_>, options: &Options<'_>) -> Result<(), Errors> {
    let mut errors = session.take_errors();
    if errors.is_empty() {
        return Ok(());
    }
    errors.sort_by_key(|error| error.around.is_empty().then_some(error.number));
    errors.truncate(options.max_errors);
    Err(Errors(errors, session.unread()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembler::is_worthwhile;

    const LINES: &str = "\
loop: s_add_u32 s0, s0, 1 ; counts
  v_mov_b32 v1, v2 // a copy
/* one
s_nop 1
two */ s_nop 2 /* three */
.if 0
s_nop 3
.endif
.macro v_mov_b64 to, from
v_mov_b32 \\to, \\from
.endm
.set five, 5
v_mov_b64 v3, 7
v_add_f32 v0, five, v1
.purgem v_mov_b64
s_cbranch_scc1 loop
# a remark
1: s_branch 1b
s_wrong s0
v_add_f32 v0, s0, s1
s_load_dwordx2 s[0:1], s[2:3], 0x10 glc\r
.rept 3
v_xor_b32 v1, v2, v3
.endr
s_setprio 1; s_nop 9
";

    /// Reads a source in one of two ways; returns the line, address and bytes of each instruction as text, and the errors.
    fn read(source: &Rc<str>, read: impl Fn(&mut Session<'_>, &Rc<str>)) -> (Vec<String>, String) {
        let mut seen = Vec::new();
        let mut each = |line: &crate::Line| {
            seen.push(format!(
                "{} {} {:?}",
                line.number,
                line.address,
                line.bytes()
            ));
        };
        let options = Options::new(Chip::Gfx900);
        let mut session = Session::new(
            "a.s",
            source.clone(),
            &options,
            handlers(Dialect::Llvm),
            None,
            Some(&mut each),
        );
        read(&mut session, source);
        let errors = format!("{:?}", session.take_errors());
        (seen, errors)
    }

    #[test]
    fn parsing_in_parallel_changes_nothing() {
        let once = (1..).find(|n| is_worthwhile(&LINES.repeat(*n), Dialect::Llvm));
        let once = once.expect("a long source");
        let source: Rc<str> = (0..once)
            .map(|n| LINES.replace("loop", &format!("l{n}")))
            .collect::<String>()
            .into();
        let plain = read(&source, |session, _| session.read());
        let parallel = read(&source, |session, source| session.read_all(source));
        assert!(plain.0.len() > 10 * once, "{}", plain.0.len());
        assert!(plain.0 == parallel.0 && plain.1 == parallel.1);
    }
}
