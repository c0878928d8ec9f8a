//! Sinks: the uses at which an undefined bit matters.

/// The use of an undefined bit; the value is the number of its probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Sink {
    /// The condition of a branch.
    Branch,
    /// The mask of active lanes.
    Exec,
    /// The address of an access.
    Address,
    /// The target of a computed jump or call.
    Jump,
    /// The index of a lane or register.
    Index,
}

impl Sink {
    /// All sinks, by number.
    pub const ALL: [Sink; 5] = [
        Sink::Branch,
        Sink::Exec,
        Sink::Address,
        Sink::Jump,
        Sink::Index,
    ];
}
