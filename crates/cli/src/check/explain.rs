//! `wavetank check --explain`: what a rule reports, and why that is a mistake.

use wavetank_check::Rule;
use wavetank_quote::{plain, similar};

use crate::exit::{Failure, Result, print};

/// Prints the page of a rule, or the names of all with a sentence each.
///
/// # Errors
/// [`Failure::Usage`] for a name that no rule has.
pub(super) fn explain(name: Option<&str>) -> Result {
    let Some(name) = name else {
        let names: Vec<String> = Rule::all().map(Rule::full_name).collect();
        let widest = names.iter().map(String::len).max().unwrap_or_default();
        let lines = names.iter().zip(Rule::all());
        let lines = lines.map(|(name, rule)| format!("{name:widest$}  {}\n", rule.finds));
        return print(&lines.collect::<String>());
    };
    match Rule::of(name) {
        Some(rule) => print(&rule.page()),
        None => Err(Failure::usage(unknown(name))),
    }
}

/// Returns the sentence about a name that no rule has.
fn unknown(name: &str) -> String {
    // A rule without its tool is meant to be found, too: several tools may have one of the name.
    let of_any = Rule::all().filter(|rule| rule.name == name);
    let of_any: Vec<String> = of_any
        .map(|rule| format!("`{}`", rule.full_name()))
        .collect();
    let help = if of_any.is_empty() {
        let names: Vec<String> = Rule::all().map(Rule::full_name).collect();
        match similar(name, names.iter().map(String::as_str)) {
            (near, true) => format!("did you mean `{}`?", near[0]),
            _ => "`wavetank check --explain` lists all".to_owned(),
        }
    } else {
        format!("did you mean {}?", of_any.join(" or "))
    };
    format!("there is no rule `{}`; {help}", plain(name))
}
