//! What is known about scalar registers at a place of a path.

use std::collections::BTreeMap;

use super::condition::{Condition, Orders, Right};
use super::effect::{Effect, Number, Scc};
use super::predicate::{Outcome, Predicate};
use super::residue::Residue;
use super::values::Values;

/// Facts that hold at a place: what the branches and constants of a path say about scalar registers. Facts that are absent are
/// not known, so any set of facts may lose some.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Facts {
    /// The values that registers may have; a register without an entry may have any.
    values: BTreeMap<u8, Values>,
    /// The orders that pairs of registers may have, the one with the lower number first.
    orders: BTreeMap<(u8, u8), Orders>,
    /// The differences of pairs of registers: the one with the lower number less the other.
    differences: BTreeMap<(u8, u8), Residue>,
    /// The predicates that are known to be true or false.
    outcomes: BTreeMap<Predicate, bool>,
    scc: Known,
}

/// What is known about SCC.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Known {
    #[default]
    Nothing,
    Value(bool),
    /// It says whether a condition holds.
    Condition(Condition),
    /// It says whether this is the outcome of a predicate.
    Outcome(Outcome),
}

impl Facts {
    /// Adds what follows from SCC having a value. Returns whether that is possible.
    pub(super) fn assume_scc(&mut self, value: bool) -> bool {
        let is_possible = match self.scc {
            Known::Nothing => true,
            Known::Value(known) => known == value,
            Known::Condition(condition) if value => self.assume(condition),
            Known::Condition(condition) => self.assume(condition.opposite()),
            Known::Outcome(outcome) if value => self.assume_outcome(outcome),
            Known::Outcome(outcome) => self.assume_outcome(outcome.opposite()),
        };
        self.scc = Known::Value(value);
        is_possible
    }

    /// Drops the facts about SCC, where it is dead.
    pub(super) fn forget_scc(&mut self) {
        self.scc = Known::Nothing;
    }

    /// Adds the outcome of a predicate. Returns whether it is possible.
    pub(super) fn assume_outcome(&mut self, outcome: Outcome) -> bool {
        let Outcome { predicate, is_true } = outcome;
        let known = self.known_outcome(predicate);
        self.outcomes.insert(predicate, is_true);
        known.is_none_or(|known| known == is_true)
    }

    /// Returns whether a predicate is true, if that is known.
    fn known_outcome(&self, predicate: Predicate) -> Option<bool> {
        let own = self.outcomes.get(&predicate).copied();
        own.or_else(|| match predicate {
            Predicate::Bit(register, bit) => {
                let number = self.values_of(register).single()?;
                Some(number >> bit & 1 == 1)
            }
            Predicate::EqualConstant(low, number) => {
                let high = (number as i32 >> 31) as u32;
                let halves = [(low, number), (low + 1, high)];
                let halves = halves.map(|(half, number)| {
                    let values = self.values_of(half);
                    let equal = values.single().map(|own| own == number);
                    let one = Values::one(number);
                    equal.or((!values.contains(&one)).then_some(false))
                });
                match halves {
                    [Some(false), _] | [_, Some(false)] => Some(false),
                    [Some(true), Some(true)] => Some(true),
                    _ => None,
                }
            }
            Predicate::EqualPairs(a, b) => (a == b).then_some(true),
        })
    }

    /// Adds that a condition holds. Returns whether that is possible.
    fn assume(&mut self, condition: Condition) -> bool {
        match condition.right {
            Right::Constant(number) => self.limit(condition.left, condition.orders, number),
            Right::Register(right) => {
                let own = |register| self.values_of(register).single();
                match (own(condition.left), own(right)) {
                    (_, Some(number)) => self.limit(condition.left, condition.orders, number),
                    (Some(number), None) => self.limit(right, condition.orders.exchanged(), number),
                    (None, None) => self.relate(condition.left, right, condition.orders),
                }
            }
        }
    }

    /// Limits a register to the values that have one of the orders to a number.
    fn limit(&mut self, register: u8, orders: Orders, number: u32) -> bool {
        let values = self.values_of(register).both(&orders.values_beside(number));
        let is_possible = !values.is_empty();
        self.set(register, values);
        is_possible
    }

    /// Limits the orders of two registers.
    fn relate(&mut self, left: u8, right: u8, orders: Orders) -> bool {
        if left == right {
            return !orders.both(Orders::EQUAL).is_empty();
        }
        let (pair, orders) = if left < right {
            ((left, right), orders)
        } else {
            ((right, left), orders.exchanged())
        };
        let known = self.orders.entry(pair).or_insert(Orders::ANY);
        *known = known.both(orders);
        !known.is_empty()
    }

    /// Changes the facts from before an instruction to after it.
    pub(super) fn step(&mut self, effect: &Effect) {
        if effect.writes_all {
            *self = Facts::default();
            return;
        }
        let results = effect.results.iter();
        let results = results.map(|known| (known.to, self.result(known.to, known.number)));
        let results: Vec<(u8, Values)> = results.collect();
        let differences = self.differences_after(effect);
        let bits = self.bits_after(effect);
        for register in &effect.writes {
            self.forget(*register);
        }
        for (to, values) in results {
            self.set(to, values);
        }
        self.differences.extend(differences);
        self.outcomes.extend(bits);
        match effect.scc {
            Scc::Kept => {}
            Scc::Unknown => self.scc = Known::Nothing,
            Scc::Is(condition) => self.scc = Known::Condition(condition),
            Scc::Says(outcome) => self.scc = Known::Outcome(outcome),
        }
    }

    /// Returns the known bits of a register of which one is set or cleared.
    fn bits_after(&self, effect: &Effect) -> Vec<(Predicate, bool)> {
        let Some(Outcome { predicate, is_true }) = effect.bit else {
            return Vec::new();
        };
        let is_bit = |other: Predicate| {
            let is_own = effect.writes.iter().any(|own| other.is_about(*own));
            is_own && matches!(other, Predicate::Bit(..))
        };
        let own = self.outcomes.iter().map(|(other, known)| (*other, *known));
        own.filter(|(other, _)| is_bit(*other) && *other != predicate)
            .chain([(predicate, is_true)])
            .collect()
    }

    /// Returns the values of a result for a register.
    fn result(&self, to: u8, number: Number) -> Values {
        match number {
            Number::Constant(number) => Values::one(number),
            Number::Sum(from, number) => self.values_of(from).plus(number),
            Number::Low(from, mask) => match self.low_bits(from, mask) {
                Some(bits) => Values::one(bits),
                None => Values::between(0, mask),
            },
            Number::UnlessScc(number) => self.unless_scc(to, number),
        }
    }

    /// Returns the differences between the result of an instruction and other registers.
    fn differences_after(&self, effect: &Effect) -> Vec<((u8, u8), Residue)> {
        let results = effect.results.iter();
        results
            .flat_map(|known| match known.number {
                Number::Sum(from, number) if known.to == from => {
                    self.moved_differences(from, number)
                }
                Number::Sum(from, number) if known.keeps_difference => {
                    let (to, difference) = (known.to, Residue::exact(number));
                    vec![if to < from {
                        ((to, from), difference)
                    } else {
                        ((from, to), difference.negated())
                    }]
                }
                _ => Vec::new(),
            })
            .collect()
    }

    /// Returns the differences of a register to which a number is added.
    fn moved_differences(&self, to: u8, number: u32) -> Vec<((u8, u8), Residue)> {
        let own = self.differences.iter();
        let moved = own.filter_map(|(&(a, b), difference)| {
            let number = if to == a {
                number
            } else {
                number.wrapping_neg()
            };
            (to == a || to == b).then(|| ((a, b), difference.plus(number)))
        });
        moved.collect()
    }

    /// Returns the differences of a register from others, each with the other one.
    fn differences_of(&self, register: u8) -> impl Iterator<Item = (u8, Residue)> {
        let all = self.differences.iter();
        all.filter_map(move |(&(a, b), &difference)| match register {
            _ if register == a => Some((b, difference)),
            _ if register == b => Some((a, difference.negated())),
            _ => None,
        })
    }

    /// Returns the low bits of a register, if they are known.
    fn low_bits(&self, register: u8, mask: u32) -> Option<u32> {
        let own = self.values_of(register).single();
        own.map(|number| number & mask).or_else(|| {
            let mut others = self.differences_of(register);
            others.find_map(|(other, difference)| {
                let other = self.values_of(other).single()?;
                difference.plus(other).low(mask)
            })
        })
    }

    /// Returns the values of a register that becomes a number if SCC is set.
    fn unless_scc(&self, register: u8, number: u32) -> Values {
        let with = |value| {
            let mut facts = self.clone();
            let is_possible = facts.assume_scc(value);
            is_possible.then(|| facts.values_of(register))
        };
        let kept = with(false).unwrap_or_else(Values::none);
        let replaced = with(true).map_or_else(Values::none, |_| Values::one(number));
        kept.or(&replaced)
    }

    /// Returns the values that a register may have, by what is known of it and of those with a known difference from it.
    fn values_of(&self, register: u8) -> Values {
        let own = |register: u8| self.values.get(&register);
        let start = own(register).cloned().unwrap_or_else(Values::all);
        let others = self.differences_of(register);
        let others =
            others.filter_map(|(other, difference)| Some(own(other)?.plus(difference.single()?)));
        others.fold(start, |values, other| values.both(&other))
    }

    fn set(&mut self, register: u8, values: Values) {
        if values.is_all() {
            self.values.remove(&register);
        } else {
            self.values.insert(register, values);
        }
    }

    /// Drops the facts about a register.
    fn forget(&mut self, register: u8) {
        self.values.remove(&register);
        self.orders
            .retain(|(a, b), _| *a != register && *b != register);
        self.differences
            .retain(|(a, b), _| *a != register && *b != register);
        self.outcomes
            .retain(|predicate, _| !predicate.is_about(register));
        let is_lost = match self.scc {
            Known::Condition(condition) => condition.is_about(register),
            Known::Outcome(outcome) => outcome.predicate.is_about(register),
            Known::Nothing | Known::Value(_) => false,
        };
        if is_lost {
            self.scc = Known::Nothing;
        }
    }

    /// Whether all that these facts say is said by others too, so that every path with the others has these.
    pub(super) fn follow_from(&self, others: &Facts) -> bool {
        let mut values = self.values.iter();
        let mut orders = self.orders.iter();
        let scc = self.scc == Known::Nothing || self.scc == others.scc;
        let is_limited = |(register, own): (&u8, &Values)| {
            others
                .values
                .get(register)
                .is_some_and(|other| own.contains(other))
        };
        let is_related = |(pair, own): (&(u8, u8), &Orders)| {
            others
                .orders
                .get(pair)
                .is_some_and(|other| own.contains(*other))
        };
        let mut differences = self.differences.iter();
        let is_known = |(pair, own): (&(u8, u8), &Residue)| {
            let other = others.differences.get(pair);
            other.is_some_and(|other| own.contains(*other))
        };
        let related = orders.all(is_related) && differences.all(is_known);
        let mut outcomes = self.outcomes.iter();
        let tested = outcomes.all(|(predicate, own)| others.outcomes.get(predicate) == Some(own));
        scc && values.all(is_limited) && related && tested
    }

    /// Keeps the facts that others have in the same form, and the low bits of differences that both have.
    pub(super) fn keep_common(&mut self, others: &Facts) {
        self.values
            .retain(|register, own| others.values.get(register) == Some(own));
        self.orders
            .retain(|pair, own| others.orders.get(pair) == Some(own));
        let both = |(pair, own): (&(u8, u8), &Residue)| {
            let other = others.differences.get(pair)?;
            Some((*pair, own.common(*other)?))
        };
        self.differences = self.differences.iter().filter_map(both).collect();
        self.outcomes
            .retain(|predicate, own| others.outcomes.get(predicate) == Some(own));
        if self.scc != others.scc {
            self.scc = Known::Nothing;
        }
    }
}
