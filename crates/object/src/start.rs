//! The start state of kernels of other drivers: contents of user SGPRs, and words of the argument block.

/// Word 3 of a descriptor (Southern Islands ISA, "Buffer Resource Descriptor"): components in their order, 32 bits, unsigned.
pub(crate) const WORD_3: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 4 << 15;

/// The start state of a kernel without a descriptor of user SGPRs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Start {
    /// The values of user SGPRs.
    pub user: Vec<UserWords>,
    /// Words of the argument block: offset and value.
    pub words: Vec<(u32, u32)>,
    /// Addresses of the code object in the argument block: offset and value.
    pub addresses: Vec<(u32, u64)>,
    /// A resource that the kernel uses and that is not available.
    pub missing: Option<String>,
}

/// A value of user SGPRs, from a register on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserWords {
    /// The number of the first register.
    pub first: u32,
    /// The number of registers.
    pub count: u32,
    /// The value of the registers.
    pub value: UserValue,
}

/// A value of user SGPRs. Offsets are relative to the argument block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserValue {
    /// The address of an offset.
    Address(u32),
    /// A buffer descriptor for an offset and a size in bytes.
    Buffer(u32, u32),
    /// The words at an offset.
    Words(u32),
}

impl Start {
    /// Returns the user SGPRs of a kernel whose argument block is at an address.
    pub fn user_sgprs(&self, block: &[u8], address: u64) -> [u32; 16] {
        let mut out = [0; 16];
        for UserWords {
            first,
            count,
            value,
        } in &self.user
        {
            let at = |offset: u32| address.wrapping_add(offset.into());
            let both = |address: u64| [address as u32, (address >> 32) as u32];
            let word = |n: u32| {
                let bytes = block.get(n as usize..)?.first_chunk()?;
                Some(u32::from_le_bytes(*bytes))
            };
            let words = match *value {
                UserValue::Address(offset) => {
                    let [low, high] = both(at(offset));
                    [low, high, 0, 0]
                }
                UserValue::Buffer(offset, size) => {
                    let [low, high] = both(at(offset));
                    [low, high, size, WORD_3]
                }
                UserValue::Words(from) => [0, 4, 8, 12].map(|at| word(from + at).unwrap_or(0)),
            };
            let registers = out.iter_mut().skip(*first as usize).take(*count as usize);
            registers
                .zip(words)
                .for_each(|(register, word)| *register = word);
        }
        out
    }
}
