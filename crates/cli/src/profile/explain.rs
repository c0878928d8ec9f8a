//! `wavetank profile --explain`: what a rule of advice says, and from which counts on.

use wavetank_profile::advice::Rule;
use wavetank_quote::{plain, similar};

use crate::exit::{Failure, Result, print};

/// Prints the page of a rule, or the names of all with a sentence each.
///
/// # Errors
/// [`Failure::Usage`] for a name that no rule has.
pub(super) fn explain(name: Option<&str>) -> Result {
    let names = || Rule::ALL.iter().map(|rule| rule.name);
    let Some(name) = name else {
        let widest = names().map(str::len).max().unwrap_or_default();
        let lines = Rule::ALL.iter();
        let lines = lines.map(|rule| format!("{:widest$}  {}\n", rule.name, rule.finds));
        return print(&lines.collect::<String>());
    };
    match Rule::of(name) {
        Some(rule) => print(&rule.page()),
        None => {
            let help = match similar(name, names()) {
                (near, true) => format!("did you mean `{}`?", near[0]),
                _ => "`wavetank profile --explain` lists all".to_owned(),
            };
            let name = plain(name);
            Err(Failure::usage(format!("there is no rule `{name}`; {help}")))
        }
    }
}
