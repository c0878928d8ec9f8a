//! What is known about scalar registers at a place of a path.

use std::collections::BTreeMap;

use super::condition::{Condition, Orders, Right};
use super::effect::{Effect, Number, Scc};
use super::values::Values;

/// Facts that hold at a place: what the branches and constants of a path say about scalar registers. Facts that are absent are
/// not known, so any set of facts may lose some.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Facts {
    /// The values that registers may have; a register without an entry may have any.
    values: BTreeMap<u8, Values>,
    /// The orders that pairs of registers may have, the one with the lower number first.
    orders: BTreeMap<(u8, u8), Orders>,
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
}

impl Facts {
    /// Adds what follows from SCC having a value. Returns whether that is possible.
    pub(super) fn assume_scc(&mut self, value: bool) -> bool {
        match self.scc {
            Known::Nothing => {
                self.scc = Known::Value(value);
                true
            }
            Known::Value(known) => known == value,
            Known::Condition(condition) if value => self.assume(condition),
            Known::Condition(condition) => self.assume(condition.opposite()),
        }
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
        let result = effect.result.map(|(to, number)| match number {
            Number::Constant(number) => (to, Values::one(number)),
            Number::Sum(from, number) => (to, self.values_of(from).plus(number)),
            Number::UnlessScc(number) => (to, self.unless_scc(to, number)),
        });
        for register in &effect.writes {
            self.forget(*register);
        }
        if let Some((to, values)) = result {
            self.set(to, values);
        }
        match effect.scc {
            Scc::Kept => {}
            Scc::Unknown => self.scc = Known::Nothing,
            Scc::Is(condition) => self.scc = Known::Condition(condition),
        }
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

    /// Returns the values that a register may have.
    fn values_of(&self, register: u8) -> Values {
        self.values
            .get(&register)
            .cloned()
            .unwrap_or_else(Values::all)
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
        if matches!(self.scc, Known::Condition(condition) if condition.is_about(register)) {
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
        scc && values.all(is_limited) && orders.all(is_related)
    }

    /// Keeps the facts that others have in the same form.
    pub(super) fn keep_common(&mut self, others: &Facts) {
        self.values
            .retain(|register, own| others.values.get(register) == Some(own));
        self.orders
            .retain(|pair, own| others.orders.get(pair) == Some(own));
        if self.scc != others.scc {
            self.scc = Known::Nothing;
        }
    }
}
