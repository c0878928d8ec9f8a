//! Directives of macros: `.macro`, `.purgem`, `.exitm`, `.altmacro`.

use std::collections::HashSet;
use std::rc::Rc;

use crate::session::{Handler, Macro, Parameter, Session, alone, argument, row};
use crate::source::{Cursor, OriginKind, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".macro", define),
    row(".endm", |_, c| alone(c, ".macro")),
    row(".endmacro", |_, c| alone(c, ".macro")),
    row(".purgem", purge),
    row(".exitm", leave),
    row(".altmacro", |a, c| { a.alternate = true; c.end() }),
    row(".noaltmacro", |a, c| { a.alternate = false; c.end() }),
    row(".macros_on", |_, c| c.end()),
    row(".macros_off", |_, c| c.end()),
];

/// Reads `.macro NAME A, B=DEFAULT, C:req, D:vararg` and its body.
fn define(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let head = cursor;
    let name = cursor.name();
    let parameters = name.and_then(|name| Ok((name, parameters(&mut cursor)?)));
    // The body is consumed even if its head is wrong, so that it is not read as part of the source.
    let body = a.body(&[".macro"], &[".endm", ".endmacro"], &head)?;
    let (name, parameters) = parameters?;
    if a.macros.contains_key(&*a.macro_key(&name)) {
        let message = format!("there is another macro `{name}`: `.purgem {name}` forgets it");
        return Err(syntax_error(place, message));
    }
    let key: Rc<str> = a.macro_key(&name).into();
    let names = parameters.iter().map(|p| p.name.clone());
    let made = Macro {
        name: name.into(),
        by_name: names.zip(0..).collect(),
        parameters,
        body,
    };
    a.macros.insert(key, Rc::new(made));
    Ok(())
}

fn parameters(cursor: &mut Cursor<'_>) -> Result<Vec<Parameter>, SyntaxError> {
    let mut all: Vec<Parameter> = Vec::new();
    let mut names = HashSet::new();
    cursor.comma();
    while !cursor.is_at_end() {
        let place = cursor.span();
        let name = cursor.name()?.into_owned();
        if !names.insert(name.clone()) {
            return Err(syntax_error(
                place,
                format_args!("there is another parameter `{name}`"),
            ));
        }
        if all.last().is_some_and(|p| p.rest) {
            return Err(syntax_error(
                place,
                "a parameter that takes the rest is the last",
            ));
        }
        let mut parameter = Parameter {
            name,
            default: None,
            required: false,
            rest: false,
        };
        if cursor.eat(b':') {
            let place = cursor.span();
            match cursor.word() {
                Some("req") => parameter.required = true,
                Some("vararg") => parameter.rest = true,
                _ => return Err(syntax_error(place, "there should be `req` or `vararg`")),
            }
        }
        if cursor.eat(b'=') {
            parameter.default = Some(argument(cursor)?);
        }
        all.push(parameter);
        cursor.comma();
    }
    Ok(all)
}

fn purge(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    let key = a.macro_key(&name).into_owned();
    match a.macros.remove(&*key) {
        Some(_) => cursor.end(),
        None => Err(syntax_error(
            place,
            format_args!("there is no macro `{name}`"),
        )),
    }
}

/// Handles `.exitm`: leaves the macro or repetition around it, with all conditions that are open in it.
fn leave(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.end()?;
    let Some(input) = a.inputs.current() else {
        return Ok(());
    };
    match input.origin.kind {
        OriginKind::File(_) | OriginKind::Signatures => alone(cursor, ".macro"),
        OriginKind::Macro(_) | OriginKind::Repetition(_) => {
            a.conditions.truncate(input.conditions);
            a.pop();
            Ok(())
        }
    }
}
