//! Sinks: the uses at which an undefined bit matters.

/// What an undefined bit decides, as probes number it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Sink {
    /// Where the wave goes on.
    Branch,
    /// Which lanes are on.
    Exec,
    /// What is accessed.
    Address,
    /// Where a computed jump or call goes.
    Jump,
    /// Which lane or register is meant.
    Index,
}

impl Sink {
    /// All of them, by number.
    pub const ALL: [Sink; 5] = [
        Sink::Branch,
        Sink::Exec,
        Sink::Address,
        Sink::Jump,
        Sink::Index,
    ];
}
