//! Messages of a source, which `.print` and `.warning` give: on stderr or stdout, and in JSON.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;

use serde::{Serialize, Serializer};
use wavetank_asm::Message;

use crate::exit::{Result, shown};
use crate::output::Output;
use crate::paint::carets;
use crate::wrong_lines::Wrong;

/// The messages so far. Warnings are written to stderr. The texts of `.print` are written to stdout, as GNU as does, unless stdout
/// is for the instructions; then they are written to stderr, too.
pub(super) struct Messages {
    out: RefCell<Option<Output>>,
    all: RefCell<Vec<Message>>,
}

impl Messages {
    /// Returns an empty list. `has_stdout` says that stdout is free for the texts of `.print`.
    pub(super) fn new(has_stdout: bool) -> Messages {
        Messages {
            out: RefCell::new(has_stdout.then(Output::new)),
            all: RefCell::default(),
        }
    }

    /// Writes a message, and keeps it for JSON.
    pub(super) fn receive(&self, message: &Message) {
        let text = match message {
            Message::Print(_) => format!("{message}\n"),
            Message::Warning { source, .. } => {
                carets(&format!("{}, {message}\n", shown(Path::new(source))))
            }
        };
        match (&mut *self.out.borrow_mut(), message) {
            (Some(out), Message::Print(_)) => {
                out.text.push_str(&text);
                out.settle();
            }
            (out, _) => {
                // If stderr is closed, the message has no reader.
                let _ = anstream::stderr().write_all(text.as_bytes());
                if out.is_none() {
                    self.all.borrow_mut().push(message.clone());
                }
            }
        }
    }

    /// Returns whether there is no message for JSON.
    pub(super) fn is_empty(&self) -> bool {
        self.all.borrow().is_empty()
    }

    /// Writes the rest of the texts of `.print`.
    pub(super) fn finish(self) -> Result {
        match self.out.into_inner() {
            Some(out) => out.finish(),
            None => Ok(()),
        }
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let all = self.all.borrow();
        serializer.collect_seq(all.iter().map(|message| match message {
            Message::Print(text) => Json::Print { text },
            Message::Warning { line, .. } => Json::Warning((&**line).into()),
        }))
    }
}

/// A message in JSON.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Json<'m> {
    Print { text: &'m str },
    Warning(Wrong),
}
