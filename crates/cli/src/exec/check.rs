//! `exec --check`: the findings of tools in cases.

use std::io::Write;
use std::path::Path;

use serde_json::Value;
use wavetank::{Finding, Tools};
use wavetank_cases::{Case, ExecError, Run};
use wavetank_check::report::{Look, Scene, json, text};

use crate::exit::{Failure, Result};
use crate::terminal;

/// The findings in all cases, each as text.
#[derive(Default)]
pub(super) struct Found(Vec<String>);

impl Found {
    /// Checks a case, and returns its findings as JSON. Their text begins with `name`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn add(
        &mut self,
        name: &str,
        case: &Case,
        tools: Tools,
        run: &Run,
        file: Option<&Path>,
    ) -> std::result::Result<Vec<Value>, ExecError> {
        let look = Look {
            // Colours are dropped if stderr is not a terminal.
            colours: true,
            columns: terminal::columns(),
            machine_code: false,
            stacks: false,
        };
        let mut values = Vec::new();
        let Some(checked) = case.check(tools, run)? else {
            return Ok(values);
        };
        for finding in &checked.findings {
            let see = |finding: &Finding, scene: &Scene<'_>| {
                (text(finding, scene, look), json(finding, scene))
            };
            let (text, json) = checked.show(finding, file, see);
            self.0.push(format!("{name}{text}"));
            // Valid, because it was written as JSON.
            values.extend(serde_json::from_str::<Value>(&json));
        }
        Ok(values)
    }

    /// Prints the findings.
    ///
    /// # Errors
    /// If there are findings.
    pub(super) fn print(&self) -> Result {
        for text in &self.0 {
            // A closed stderr is not an error.
            let _ = writeln!(anstream::stderr(), "{text}");
        }
        match self.0.len() {
            0 => Ok(()),
            1 => Err(Failure::Kernel(
                "a mistake was found in the instructions".to_owned(),
            )),
            n => Err(Failure::Kernel(format!(
                "{n} mistakes were found in the instructions"
            ))),
        }
    }
}
