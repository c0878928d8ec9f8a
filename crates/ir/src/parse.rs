//! The parser of the text form.
//!
//! The grammar is the output of `print`, and further forms for tests: values may have any name (`%sum`), `;` starts a
//! comment.

use std::collections::HashMap;
use std::fmt;

use crate::LaneFn;
use crate::form::Form;
use crate::line::{Line, Miss, Names};
use crate::op::{Block, Node};
use crate::operations::Op;
use crate::scan::{Parsed, Scanner};
use crate::types::{Ty, Value};

/// The reason why a text is not a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The message for that position.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError {
            line,
            column,
            message,
        } = self;
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl std::error::Error for ParseError {}

/// Parses the text of one block. Lane functions are found by their names. The block is not [verified](crate::verify).
///
/// # Errors
/// The first place where the text does not match the grammar, or names a value that no earlier line defines, or a lane function
/// that `lane_fn` lacks.
///
/// ```
/// let text = "
/// block 0x100
///     inst 0x100 salu
///     %a:u32 = read s4
///     %b:u32 = add.i32 %a, %a   ; twice
///     write s5, %b
///     end_program
/// ";
/// let block = wavetank_ir::parse(text, &|_| None).unwrap();
/// assert_eq!(wavetank_ir::verify(&block), Ok(()));
/// assert!(block.to_string().contains("%2:u32 = add.i32 %1, %1"));
///
/// let error = wavetank_ir::parse("block 0\n  ad.i32", &|_| None).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 3: there is no operation `ad.i32`");
/// ```
pub fn parse(
    text: &str,
    lane_fn: &dyn Fn(&str) -> Option<&'static LaneFn>,
) -> Result<Block, ParseError> {
    let mut parser = Parser {
        block: Block::default(),
        names: Names {
            values: HashMap::new(),
            lane_fn,
        },
    };
    let mut open = false;
    let mut lines = 0;
    for (number, line) in text.lines().enumerate() {
        lines = number + 1;
        let mut s = Scanner::new(line);
        let parsed = match (s.at_end(), open) {
            (true, _) => Ok(()),
            (false, true) => parser.line(&mut s),
            (false, false) => {
                open = true;
                parser.header(&mut s)
            }
        };
        parsed
            .and_then(|()| s.end())
            .map_err(|message| ParseError {
                line: number + 1,
                column: s.column(),
                message,
            })?;
    }
    let missing = || ParseError {
        line: lines.max(1),
        column: 1,
        message: "the text has no `block ADDRESS`".into(),
    };
    open.then_some(parser.block).ok_or_else(missing)
}

struct Parser<'a> {
    block: Block,
    names: Names<'a>,
}

impl<'a> Parser<'a> {
    fn header(&mut self, s: &mut Scanner<'a>) -> Parsed {
        s.keyword("block")?;
        self.block.pc = s.number()?;
        Ok(())
    }

    /// Parses a line: `%name:type = operation` or `operation`.
    fn line(&mut self, s: &mut Scanner<'a>) -> Parsed {
        let this = Value(self.block.nodes.len() as u32);
        let result = if s.looks_at('%') {
            let name = s.value_name()?;
            s.expect(':')?;
            let ty = s.named("a type", Ty::from_text)?;
            s.expect('=')?;
            Some((name, ty))
        } else {
            None
        };
        let op = self.op(s)?;
        self.block.nodes.push(Node {
            op,
            ty: result.map(|(_, ty)| ty),
        });
        match result {
            Some((name, _)) if self.names.values.insert(name, this).is_some() => {
                Err(format!("%{name} is defined twice"))
            }
            _ => Ok(()),
        }
    }

    fn op(&self, s: &mut Scanner<'a>) -> Parsed<Op> {
        let start = s.mark();
        let name = s.word("an operation")?;
        Op::parse(&mut Line::new(s, &self.names, name)).map_err(|miss| match miss {
            Miss::Here(message) => message,
            Miss::Row => {
                s.reset(start);
                format!("there is no operation `{name}`")
            }
        })
    }
}
