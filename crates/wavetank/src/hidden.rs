//! Hidden arguments: the values that the runtime appends to the explicit ones.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", "Kernel Argument Metadata": versions 2 to 4 name offsets and
//! pointers, version 5 and 6 the whole shape of the grid.

use wavetank_machine::Grid;
use wavetank_memory::{PRIVATE_BASE, SHARED_BASE};
use wavetank_object::{Arg as Param, ArgKind};

/// The values of hidden arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hidden {
    pub grid: Grid,
    /// Dimensions in use, 1 to 3.
    pub dimensions: u16,
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds: u32,
    /// Address of the queue.
    pub queue: u64,
    /// Address of the buffer of host calls; 0 if the kernel makes none.
    pub host_calls: u64,
}

impl Hidden {
    /// Fills the hidden arguments among `params` into an argument block.
    pub(crate) fn fill<'p>(&self, params: impl Iterator<Item = &'p Param>, block: &mut [u8]) {
        for param in params {
            let bytes = self.value(param.kind).to_le_bytes();
            let len = bytes.len().min(param.size as usize);
            // The reader of metadata has checked that every argument lies within the block.
            let at = param.offset as usize;
            block[at..at + len].copy_from_slice(&bytes[..len]);
        }
    }

    /// Returns the value of a hidden argument; zero for features that this runtime lacks, as the guide allows.
    fn value(&self, kind: ArgKind) -> u64 {
        use ArgKind::*;
        let items = |d: usize| self.grid.items()[d];
        let size = |d: usize| self.grid.group_size()[d];
        let groups = |d: usize| self.grid.groups()[d];
        match kind {
            HiddenBlockCountX => (items(0) / size(0)).into(),
            HiddenBlockCountY => (items(1) / size(1)).into(),
            HiddenBlockCountZ => (items(2) / size(2)).into(),
            HiddenGroupSizeX => size(0).into(),
            HiddenGroupSizeY => size(1).into(),
            HiddenGroupSizeZ => size(2).into(),
            HiddenGroupCountX => groups(0).into(),
            HiddenGroupCountY => groups(1).into(),
            HiddenGroupCountZ => groups(2).into(),
            HiddenItemCountX => items(0).into(),
            HiddenItemCountY => items(1).into(),
            HiddenItemCountZ => items(2).into(),
            HiddenRemainderX => (items(0) % size(0)).into(),
            HiddenRemainderY => (items(1) % size(1)).into(),
            HiddenRemainderZ => (items(2) % size(2)).into(),
            HiddenGridDims => self.dimensions.into(),
            HiddenDynamicLdsSize => self.dynamic_lds.into(),
            HiddenPrivateBase => PRIVATE_BASE >> 32,
            HiddenSharedBase => SHARED_BASE >> 32,
            HiddenQueuePtr => self.queue,
            HiddenHostcallBuffer => self.host_calls,
            // Global offsets are 0. There is no device queue, multi-grid or device heap.
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 100x7x1 grid of 64x2 groups: one full group and 36 items in X, three groups and 1 item in Y.
    #[test]
    fn the_grid_is_passed_as_the_guide_says() {
        let hidden = Hidden {
            grid: Grid::new([100, 7, 1], [64, 2, 1]).unwrap(),
            dimensions: 2,
            dynamic_lds: 48,
            queue: 0x1234,
            host_calls: 0x5678,
        };
        use ArgKind::*;
        for (kind, value) in [
            (HiddenBlockCountX, 1),
            (HiddenBlockCountY, 3),
            (HiddenBlockCountZ, 1),
            (HiddenGroupSizeX, 64),
            (HiddenGroupCountX, 2),
            (HiddenGroupCountY, 4),
            (HiddenItemCountX, 100),
            (HiddenItemCountZ, 1),
            (HiddenRemainderX, 36),
            (HiddenRemainderY, 1),
            (HiddenRemainderZ, 0),
            (HiddenGridDims, 2),
            (HiddenGlobalOffsetX, 0),
            (HiddenDynamicLdsSize, 48),
            (HiddenSharedBase, 0x0001_0000),
            (HiddenPrivateBase, 0x0002_0000),
            (HiddenQueuePtr, 0x1234),
            (HiddenHostcallBuffer, 0x5678),
            (HiddenHeapV1, 0),
        ] {
            assert_eq!(hidden.value(kind), value, "{kind:?}");
        }
    }
}
