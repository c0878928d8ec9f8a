//! What undefined bits decide.

/// What an undefined bit decides, as probes number it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Decides {
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

impl Decides {
    /// All of them, by number.
    pub const ALL: [Decides; 5] = [
        Decides::Branch,
        Decides::Exec,
        Decides::Address,
        Decides::Jump,
        Decides::Index,
    ];
}
