//! The tables of directives: each is a row of name and handler, in the file of its subject.

mod amdhsa;
mod clrx;
mod conditional;
mod data;
mod debug_info;
mod include;
mod kernel_code;
mod macros;
mod notes;
mod repeat;
mod section;
mod space;
mod symbol;

use std::sync::OnceLock;

use wavetank_gcn::Dialect;

use crate::session::{Handler, Handlers};

/// Returns the directives of a dialect by name. CLRX has those of LLVM as well, except where a name means something else.
pub(crate) fn handlers(dialect: Dialect) -> &'static Handlers {
    static LLVM: OnceLock<Handlers> = OnceLock::new();
    static CLRX: OnceLock<Handlers> = OnceLock::new();
    let by_name = |row: Handler| (row.name, row);
    match dialect {
        Dialect::Llvm => LLVM.get_or_init(|| shared().map(by_name).collect()),
        // Of several rows with the same name, the last one counts.
        Dialect::Clrx => CLRX.get_or_init(|| shared().chain(clrx::rows()).map(by_name).collect()),
    }
}

/// Returns the rows of LLVM's dialect.
fn shared() -> impl Iterator<Item = Handler> {
    let rows = [
        amdhsa::ROWS,
        conditional::ROWS,
        conditional::PARTS,
        data::ROWS,
        include::ROWS,
        kernel_code::ROWS,
        debug_info::ROWS,
        macros::ROWS,
        notes::ROWS,
        repeat::ROWS,
        section::ROWS,
        space::ROWS,
        symbol::ROWS,
    ];
    rows.into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use wavetank_gcn::Chip;

    use super::*;
    use crate::options::Options;
    use crate::session::Session;

    /// A directive is recognized by its name, whatever text follows.
    #[test]
    fn directives_are_known_whatever_follows() {
        for dialect in Dialect::ALL {
            let mut names: Vec<&str> = handlers(dialect).keys().copied().collect();
            names.sort_unstable();
            assert!(names.len() > 100);
            for name in names {
                for rest in ["(1)", "\"x\"", "-1", "", "\t1", "=1"] {
                    let source: Rc<str> = format!("{name}{rest}\n").into();
                    let options = Options {
                        dialect,
                        ..Options::new(Chip::Gfx900)
                    };
                    let mut session =
                        Session::new("a.s", source, &options, handlers(dialect), None, None);
                    session.read();
                    let errors = session.take_errors();
                    let unknown = errors.iter().find(|error| {
                        let message = &error.error.message;
                        message.contains("is not a directive")
                            || message.contains("not an instruction")
                    });
                    assert_eq!(unknown, None, "{name}{rest}");
                }
                // In skipped text, a directive that opens a condition needs an end of its own.
                let opens = name.starts_with(".if");
                let source: Rc<str> = format!(".if 0\n{name}(1)\n.endif\n").into();
                let options = Options {
                    dialect,
                    ..Options::new(Chip::Gfx900)
                };
                let mut session =
                    Session::new("a.s", source, &options, handlers(dialect), None, None);
                session.read();
                let open = session
                    .take_errors()
                    .iter()
                    .any(|error| error.error.message == "this condition has no `.endif`");
                assert_eq!(open, opens, "{name}");
            }
        }
    }
}
