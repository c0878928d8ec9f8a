//! What `race` did not compare in launches: facts about a check that are not mistakes.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wavetank_quote::{readable, some_of};

/// The accesses that `race` did not compare in one launch or several.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Uncompared {
    /// Whether each work-group was a single wave, whose lanes were not compared.
    pub one_wave: bool,
    /// The kernels whose lanes were to be compared, but whose barriers a compiler may have left out: work-groups have one wave.
    pub without_barriers: BTreeSet<String>,
    /// The places of loads that are volatile or atomic, and see what another wave stores without an order.
    pub coherent: BTreeSet<String>,
}

impl Uncompared {
    /// Adds what was not compared in other launches.
    pub fn join(&mut self, other: Uncompared) {
        self.one_wave &= other.one_wave;
        self.without_barriers.extend(other.without_barriers);
        self.coherent.extend(other.coherent);
    }

    /// Returns a sentence for each kind of access that was not compared.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.one_wave {
            all.push(
                "race: each work-group is a single wave, so only accesses of different work-groups were compared; `--lanes` \
                 compares the lanes of a wave as well"
                    .to_owned(),
            );
        }
        if !self.without_barriers.is_empty() {
            let names = self.without_barriers.iter().map(|name| readable(name));
            let names: Vec<String> = names.collect();
            all.push(format!(
                "race: the lanes of {} were not compared: work-groups have at most 64 work-items, of which compilers leave out the \
                 barriers",
                some_of(&names)
            ));
        }
        if !self.coherent.is_empty() {
            let places: Vec<String> = self.coherent.iter().cloned().collect();
            let loads = match places.len() {
                1 => "1 load was".to_owned(),
                n => format!("{n} loads were"),
            };
            all.push(format!(
                "race: {loads} not compared with unordered stores of other waves, being volatile or atomic: {}; `volatile` orders \
                 nothing in HIP",
                some_of(&places)
            ));
        }
        all
    }

    /// Returns the record for another process, without a line end.
    pub fn record(&self) -> String {
        json!({"uncompared": {
            "one_wave": self.one_wave, "without_barriers": self.without_barriers, "coherent": self.coherent,
        }})
        .to_string()
    }

    /// Reads a record; `None` for any other text.
    pub fn read(line: &str) -> Option<Uncompared> {
        let value: Value = serde_json::from_str(line).ok()?;
        let object = &value["uncompared"];
        let texts = |name: &str| {
            let texts = object[name].as_array()?.iter();
            Some(
                texts
                    .filter_map(|text| text.as_str().map(str::to_owned))
                    .collect(),
            )
        };
        Some(Uncompared {
            one_wave: object["one_wave"].as_bool()?,
            without_barriers: texts("without_barriers")?,
            coherent: texts("coherent")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coherent(places: &[&str]) -> Uncompared {
        Uncompared {
            coherent: places.iter().map(|place| (*place).to_owned()).collect(),
            ..Uncompared::default()
        }
    }

    #[test]
    fn launches_are_joined() {
        let one_wave = Uncompared {
            one_wave: true,
            ..Uncompared::default()
        };
        let mut all = one_wave.clone();
        all.join(one_wave.clone());
        assert_eq!(all.sentences().len(), 1);
        // A launch of several waves has been compared.
        all.join(coherent(&["a.hip:3"]));
        all.join(coherent(&["a.hip:3", "a.hip:5"]));
        let sentences = all.sentences();
        assert!(
            sentences[0].starts_with("race: 2 loads were not compared"),
            "{sentences:?}"
        );
        assert_eq!(sentences.len(), 1);
        assert_eq!(Uncompared::default().sentences(), [""; 0]);
    }

    #[test]
    fn records_are_read_again() {
        let all = Uncompared {
            one_wave: true,
            without_barriers: BTreeSet::from(["k".to_owned()]),
            ..coherent(&["a \"b\".hip:3"])
        };
        assert_eq!(Uncompared::read(&all.record()), Some(all));
        assert_eq!(Uncompared::read("{\"kernel\": \"k\"}"), None);
    }
}
