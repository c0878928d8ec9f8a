//! What was touched.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::MemKind;

/// Neighbouring bytes that a lane has read, written or changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it does there.
    pub kind: MemKind,
    /// The lane; `None` if the wave as a whole accesses scalar memory.
    pub lane: Option<u8>,
    /// The memory.
    pub memory: Touched,
    /// Where in it: an address, or an offset from its beginning.
    pub address: u64,
    /// How many bytes.
    pub bytes: u32,
}

/// The memory that was touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touched {
    /// Global memory, by address. Host memory that is locked has two guest addresses: it is that of the host.
    Global,
    /// The LDS of the work-group, by offset.
    Lds,
    /// The global data share, by offset.
    Gds,
    /// The scratch of the lane, by offset.
    Scratch,
}

/// What has been touched since somebody looked. The operation that notes it holds on to it while the unit is used.
pub(crate) type Log = Rc<RefCell<Vec<Touch>>>;

impl Touch {
    /// Whether the bytes of another begin where those of this one end.
    pub(crate) fn is_before(&self, next: &Touch) -> bool {
        self.memory == next.memory && self.address + u64::from(self.bytes) == next.address
    }
}
