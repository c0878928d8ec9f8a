//! Memory pools: a kind of memory of an agent.

use crate::agent;
use crate::c_types::{Agent, Pool, Result, Status};

/// The kinds of memory; a pool is a kind and an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Host memory whose changes are visible to host and device at once.
    Fine,
    /// Host memory for arguments of kernels.
    Kernarg,
    /// Host memory that is consistent between kernels.
    Coarse,
    /// Memory of the device.
    Device,
    /// LDS: listed as a pool, without allocations.
    Group,
}

impl Kind {
    /// The flags of the global segment: 1 kernarg, 2 fine grained, 4 coarse grained.
    pub(crate) fn flags(self) -> u32 {
        match self {
            Kind::Fine => 2,
            Kind::Kernarg => 3,
            Kind::Coarse | Kind::Device => 4,
            Kind::Group => 0,
        }
    }

    /// The segment: 0 global, 3 group.
    pub(crate) fn segment(self) -> u32 {
        if self == Kind::Group { 3 } else { 0 }
    }

    /// The pools of an agent, best first.
    pub(crate) fn of(agent: agent::Which) -> &'static [Kind] {
        match agent {
            agent::Which::Cpu => &[Kind::Fine, Kind::Coarse, Kind::Kernarg],
            agent::Which::Gpu(..) => &[Kind::Device, Kind::Group],
        }
    }
}

const KINDS: [Kind; 5] = [
    Kind::Fine,
    Kind::Kernarg,
    Kind::Coarse,
    Kind::Device,
    Kind::Group,
];

/// The handle of a pool: that of the agent plus the number of the kind.
pub(crate) fn pool(agent: Agent, kind: Kind) -> Pool {
    let number = KINDS.iter().position(|k| *k == kind).unwrap_or(0);
    Pool((agent.0 << 4) | (number as u64 + 1))
}

/// The agent and the kind of a pool.
pub(crate) fn of_pool(pool: Pool) -> Result<(Agent, Kind)> {
    let kind = KINDS.get((pool.0 & 15).wrapping_sub(1) as usize);
    let agent = Agent(pool.0 >> 4);
    let which = agent::of(agent).map_err(|_| Status::ERROR_INVALID_MEMORY_POOL)?;
    let kind = kind.filter(|kind| Kind::of(which).contains(kind));
    kind.map(|kind| (agent, *kind))
        .ok_or(Status::ERROR_INVALID_MEMORY_POOL)
}
