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

/// An addition to a tool, which runs only if it is named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Extra {
    /// The rule `init/read`: each load of uninitialized memory is reported.
    Reads,
    /// `race` compares the lanes of a wave as well, as threads of their own.
    Lanes,
    /// `race` compares both halves of a wave, of 32 lanes each.
    Halves,
}

impl Extra {
    /// Every addition.
    pub const ALL: [Extra; 3] = [Extra::Reads, Extra::Lanes, Extra::Halves];

    /// Returns the name of the addition in lists of tools.
    pub const fn name(self) -> &'static str {
        match self {
            Extra::Reads => "init/read",
            Extra::Lanes => "lanes",
            Extra::Halves => "lanes32",
        }
    }

    /// Returns the tool that the addition belongs to.
    pub const fn tool(self) -> Tool {
        match self {
            Extra::Reads => Tool::Init,
            Extra::Lanes | Extra::Halves => Tool::Race,
        }
    }

    /// Returns the bit of the addition in a set of tools.
    const fn bit(self) -> u16 {
        1 << (Tool::ALL.len() + self as usize)
    }
}

/// A set of tools, with [additions](Extra) to them.
///
/// ```
/// use wavetank_check::{Tool, Tools};
/// let tools: Tools = "wait,hazard".parse()?;
/// assert!(tools.has(Tool::Wait) && !tools.has(Tool::Race));
/// let tools: Tools = "memory,init/read".parse()?;
/// assert!(tools.has(Tool::Init) && tools.to_string() == "memory,init,init/read");
/// # Ok::<(), wavetank_check::UnknownTool>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tools(u16);

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

    /// Returns the set with an addition and its tool.
    #[must_use]
    pub const fn with(self, extra: Extra) -> Tools {
        Tools(self.0 | extra.bit() | 1 << extra.tool() as u8)
    }

    /// Whether an addition is in the set.
    pub const fn has_extra(self, extra: Extra) -> bool {
        self.0 & extra.bit() != 0
    }

    /// Returns the number of lanes that `race` takes for one thread, if it compares the lanes of a wave.
    pub fn subgroup(self) -> Option<u8> {
        let of = |extra, lanes| self.has_extra(extra).then_some(lanes);
        of(Extra::Lanes, 1).or(of(Extra::Halves, 32))
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

impl fmt::Display for Tools {
    /// Writes the names with commas, as they are parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extras = Extra::ALL
            .into_iter()
            .filter(|extra| self.has_extra(*extra));
        let names = self.iter().map(Tool::name).chain(extras.map(Extra::name));
        f.pad(&names.collect::<Vec<_>>().join(","))
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

    /// Parses names separated by commas, or `all`; additions may stand in both.
    fn from_str(text: &str) -> Result<Tools, UnknownTool> {
        let mut tools = Vec::new();
        let mut extras = Vec::new();
        for word in text.split(',').map(str::trim) {
            match Extra::ALL.into_iter().find(|extra| extra.name() == word) {
                Some(extra) => extras.push(extra),
                None => tools.push(word),
            }
        }
        let set = match tools.as_slice() {
            ["all"] => Tools::ALL,
            names => {
                let tools: Result<Vec<Tool>, _> = names.iter().map(|name| name.parse()).collect();
                Tools::of(&tools?)
            }
        };
        Ok(extras.into_iter().fold(set, Tools::with))
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
    fn additions_are_named_and_bring_their_tool() {
        let of = |text: &str| text.parse::<Tools>().expect("they are tools");
        assert!(
            Extra::ALL
                .into_iter()
                .all(|extra| !Tools::ALL.has_extra(extra))
        );
        let race = of("lanes");
        assert!(race.has(Tool::Race) && race.iter().count() == 1);
        assert_eq!((race.subgroup(), of("race").subgroup()), (Some(1), None));
        assert_eq!(of("lanes32").subgroup(), Some(32));
        assert_eq!(of("all, init/read"), Tools::ALL.with(Extra::Reads));
        for text in ["race", "lanes", "memory,init/read", "all,lanes32"] {
            assert_eq!(of(&of(text).to_string()), of(text), "{text}");
        }
        assert!("init/write".parse::<Tools>().is_err());
        assert!(of("race,lanes").and(Tools::STATIC).is_empty());
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
