//! The conversion of YAML to a tree, which both kinds of metadata text share.

use rmpv::Value;
use saphyr_parser::{Event, Marker, Parser, Tag};

use super::block_lists::in_brackets;

/// Limit of the tree's depth; real metadata have 6 levels.
const MAX_DEPTH: usize = 32;

/// The conversion of scalars and maps in one kind of metadata. The errors are sentences.
pub(super) trait Shape {
    /// Returns the value of a scalar with its tag, such as `!str`.
    fn scalar(&self, text: &str, tag: Option<&str>) -> Result<Value, String>;

    /// Returns the value of a map.
    fn map(&self, pairs: Vec<(Value, Value)>) -> Result<Value, String>;
}

/// An error in a text with its place; lines and columns are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub line: usize,
    pub column: usize,
    pub problem: String,
}

impl Wrong {
    fn at(marker: &Marker, problem: impl Into<String>) -> Wrong {
        Wrong {
            line: marker.line(),
            column: marker.col() + 1,
            problem: problem.into(),
        }
    }
}

/// Parses the first document of a text. A text that is YAML only to LLVM's reader is completed.
pub(super) fn read(text: &str, shape: &impl Shape) -> Result<Value, Wrong> {
    document(text, shape).or_else(|wrong| {
        let completed = in_brackets(text);
        document(&completed, shape).map_err(|_| wrong)
    })
}

fn document(text: &str, shape: &impl Shape) -> Result<Value, Wrong> {
    let mut tree = Tree {
        shape,
        open: Vec::new(),
        done: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let problem = format!("this is not YAML ({})", error.info());
            Wrong::at(error.marker(), problem)
        })?;
        let added = match event {
            Event::Scalar(text, _, _, tag) => shape
                .scalar(&text, tag.as_deref().map(word).as_deref())
                .and_then(|value| tree.value(value)),
            Event::SequenceStart(..) => tree.open(Open::Sequence(Vec::new())),
            Event::MappingStart(..) => tree.open(Open::Mapping(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => tree.close(),
            // Rejected, because an alias may stand for a subtree, so that trees of aliases grow without bound.
            Event::Alias(_) => Err("this is a YAML alias, which metadata do not have".to_owned()),
            Event::DocumentEnd => break,
            _ => Ok(()),
        };
        added.map_err(|problem| Wrong::at(&span.start, problem))?;
    }
    tree.done.ok_or_else(|| Wrong {
        line: 1,
        column: 1,
        problem: "there is nothing in it".to_owned(),
    })
}

/// Returns a tag in its written form.
fn word(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

/// A collection that is being read.
enum Open {
    Sequence(Vec<Value>),
    Mapping(Vec<(Value, Value)>, Option<Value>),
}

/// A builder of values from events. It has its own stack, so that depth is bounded.
struct Tree<'a, S> {
    shape: &'a S,
    open: Vec<Open>,
    done: Option<Value>,
}

impl<S: Shape> Tree<'_, S> {
    fn open(&mut self, collection: Open) -> Result<(), String> {
        if self.open.len() == MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
        self.open.push(collection);
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(Open::Sequence(items)) => self.value(Value::Array(items)),
            Some(Open::Mapping(pairs, _)) => {
                let map = self.shape.map(pairs)?;
                self.value(map)
            }
            None => Err("a YAML collection ends that never began".to_owned()),
        }
    }

    fn value(&mut self, value: Value) -> Result<(), String> {
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(Open::Sequence(items)) => items.push(value),
            Some(Open::Mapping(pairs, key)) => match key.take() {
                None => *key = Some(value),
                Some(key) => pairs.push((key, value)),
            },
        }
        Ok(())
    }
}
