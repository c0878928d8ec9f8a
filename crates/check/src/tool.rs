//! The tools, their names, and sets of them.

use std::fmt;
use std::str::FromStr;

/// A tool, which looks for one kind of mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Tool {
    /// Accesses out of bounds, or to freed memory.
    Memory,
    /// Uses of undefined bits.
    Init,
    /// Unordered accesses, one of them a write.
    Race,
    /// Registers and memory used before the wait for them.
    Wait,
    /// Missing wait states between instructions.
    Hazard,
    /// Barriers that not every wave reaches.
    Sync,
    /// Use of more registers, LDS or code than there is.
    Limits,
    /// Sources of NaNs and infinities, and lost numbers.
    Float,
}

impl Tool {
    /// Every tool, in the order of the documentation.
    pub const ALL: [Tool; 8] = [
        Tool::Memory,
        Tool::Init,
        Tool::Race,
        Tool::Wait,
        Tool::Hazard,
        Tool::Sync,
        Tool::Limits,
        Tool::Float,
    ];

    /// Returns the name of the tool in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Tool::Memory => "memory",
            Tool::Init => "init",
            Tool::Race => "race",
            Tool::Wait => "wait",
            Tool::Hazard => "hazard",
            Tool::Sync => "sync",
            Tool::Limits => "limits",
            Tool::Float => "float",
        }
    }

    /// Returns the name that NVIDIA's Compute Sanitizer has for such a tool.
    const fn alias(self) -> Option<&'static str> {
        match self {
            Tool::Memory => Some("memcheck"),
            Tool::Init => Some("initcheck"),
            Tool::Race => Some("racecheck"),
            Tool::Sync => Some("synccheck"),
            Tool::Wait | Tool::Hazard | Tool::Limits | Tool::Float => None,
        }
    }

    /// Returns a description of the tool's mistakes, in words that stand alone.
    pub const fn finds(self) -> &'static str {
        match self {
            Tool::Memory => "Accesses out of bounds, or after free",
            Tool::Init => "Uninitialized values, where they matter",
            Tool::Race => "Data races between waves",
            Tool::Wait => "Registers and LDS that are used before the wait for them",
            Tool::Hazard => "Wait states that are missing between two instructions",
            Tool::Sync => "Barriers that not every wave of a work-group reaches",
            Tool::Limits => "More registers, LDS or code than there is",
            Tool::Float => "The sources of NaNs and infinities, and lost numbers",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of tools.
///
/// ```
/// use wavetank_check::{Tool, Tools};
/// let tools: Tools = "wait,hazard".parse()?;
/// assert!(tools.has(Tool::Wait) && !tools.has(Tool::Race));
/// # Ok::<(), wavetank_check::UnknownTool>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tools(u8);

impl Tools {
    /// Every tool.
    pub const ALL: Tools = Tools::of(&Tool::ALL);

    /// The static tools, which only read code.
    pub const STATIC: Tools = Tools::of(&[Tool::Wait, Tool::Hazard, Tool::Limits]);

    /// The default tools, which find mistakes: all except `float`, whose findings may be intended. The static ones among them run
    /// when a kernel is launched for the first time.
    pub const DEFAULT: Tools = Tools::of(&Tool::ALL).without(Tools::of(&[Tool::Float]));

    /// Makes a set of tools.
    pub const fn of(tools: &[Tool]) -> Tools {
        let (mut set, mut n) = (0, 0);
        while n < tools.len() {
            set |= 1 << tools[n] as u8;
            n += 1;
        }
        Tools(set)
    }

    /// Whether a tool is in the set.
    pub const fn has(self, tool: Tool) -> bool {
        self.0 >> tool as u8 & 1 == 1
    }

    /// Returns the tools in both sets.
    pub const fn and(self, other: Tools) -> Tools {
        Tools(self.0 & other.0)
    }

    /// Returns the tools that are not in the other set.
    pub const fn without(self, other: Tools) -> Tools {
        Tools(self.0 & !other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the tools of the set in order.
    pub fn iter(self) -> impl Iterator<Item = Tool> {
        Tool::ALL.into_iter().filter(move |tool| self.has(*tool))
    }
}

/// The error of a word that does not name a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTool(String);

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Tool::ALL.map(Tool::name).join(", ");
        let word = wavetank_quote::plain(&self.0);
        write!(f, "`{word}` is not a tool; there are {names}, and `all`")
    }
}

impl std::error::Error for UnknownTool {}

impl FromStr for Tool {
    type Err = UnknownTool;

    fn from_str(word: &str) -> Result<Tool, UnknownTool> {
        let is_named = |tool: &Tool| tool.name() == word || tool.alias() == Some(word);
        let tool = Tool::ALL.into_iter().find(is_named);
        tool.ok_or_else(|| UnknownTool(word.to_owned()))
    }
}

impl FromStr for Tools {
    type Err = UnknownTool;

    /// Parses names separated by commas, or `all`.
    fn from_str(text: &str) -> Result<Tools, UnknownTool> {
        if text.trim() == "all" {
            return Ok(Tools::ALL);
        }
        let tools: Result<Vec<Tool>, _> = text.split(',').map(|w| w.trim().parse()).collect();
        Ok(Tools::of(&tools?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_is_used_where_it_is_named() {
        let others = Tool::ALL.into_iter().filter(|tool| *tool != Tool::Float);
        assert!(others.into_iter().all(|tool| Tools::DEFAULT.has(tool)));
        assert!(!Tools::DEFAULT.has(Tool::Float));
        let named: Tools = "init,float".parse().expect("they are tools");
        assert_eq!(named, Tools::of(&[Tool::Init, Tool::Float]));
    }

    #[test]
    fn names_of_compute_sanitizer_are_understood() {
        let of = |text: &str| text.parse::<Tools>();
        let named = [Tool::Memory, Tool::Init, Tool::Race, Tool::Sync];
        assert_eq!(
            of("memcheck,initcheck,racecheck,synccheck"),
            Ok(Tools::of(&named))
        );
        assert_eq!(of("all"), Ok(Tools::ALL));
        assert!(of("all,race").is_err() && of("leakcheck").is_err());
    }
}
