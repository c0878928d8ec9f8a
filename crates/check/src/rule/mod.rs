//! The rules of the tools: what each reports, why that is a mistake, an example, and what it does not see.
//!
//! Pages of the documentation and `wavetank check --explain` are made from this table, so that they cannot differ.

mod float;
mod hazard;
mod init;
mod limits;
mod memory;
mod race;
mod row;
mod sync;
mod wait;

use std::fmt::Write;

use crate::tool::{Tool, Tools};
pub use row::{Example, Rule};

impl Rule {
    /// Returns all rules, in the order of the tools.
    pub fn all() -> impl Iterator<Item = &'static Rule> {
        let tools: [&[Rule]; 8] = [
            memory::RULES,
            init::RULES,
            race::RULES,
            wait::RULES,
            hazard::RULES,
            sync::RULES,
            limits::RULES,
            float::RULES,
        ];
        tools.into_iter().flatten()
    }

    /// Returns the rule with the name of reports: `race/read-write`.
    pub fn of(name: &str) -> Option<&'static Rule> {
        let (tool, rule) = name.split_once('/')?;
        Rule::all().find(|known| known.tool.name() == tool && known.name == rule)
    }

    /// Returns a page about the rule, in Markdown.
    pub fn page(&self) -> String {
        let mut page = format!("# {}\n\n{}\n\n", self.full_name(), self.finds);
        let mut section = |title: &str, text: &str| {
            writeln!(page, "## {title}\n\n{text}\n").expect("a string takes all");
        };
        section("Why it is a mistake", self.why);
        section("Example", &self.example.shown());
        if self.tool == Tool::Hazard {
            section("Wait states", &hazard::wait_states(self.name));
        }
        section("Limits", self.limits);
        let tool = self.tool;
        let start = if Tools::STATIC.has(tool) {
            format!("wavetank check --tools {tool} FILE")
        } else {
            format!("wavetank check --tools {tool} -- PROGRAM")
        };
        section("Tool", &format!("{}: `{start}`.", tool.finds()));
        page.truncate(page.trim_end().len() + 1);
        page
    }
}

#[cfg(test)]
mod tests;
