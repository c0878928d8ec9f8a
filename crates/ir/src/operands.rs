//! The values an operation uses, listed once for every pass.

use crate::export::Export;
use crate::image::Image;
use crate::mem::{MemOp, Space};
use crate::op::{Op, Terminator};
use crate::types::Value;

/// Writes the walk over the operands once, for `&` and for `&mut`.
macro_rules! walk {
    ($name:ident, $doc:literal, $($r:tt)+) => {
        impl Op {
            #[doc = $doc]
            pub fn $name(self: $($r)+ Self, f: &mut impl FnMut($($r)+ Value)) {
                match self {
                    Op::Inst { .. }
                    | Op::Const(_)
                    | Op::Read(_)
                    | Op::LanesBelow { .. }
                    | Op::LaneId
                    | Op::Clock(_)
                    | Op::WaitCnt(_) => {}
                    Op::ReadIndexed { index, .. } | Op::ReadIndexedS { index, .. } => f(index),
                    Op::Write { value, mask, .. } => {
                        f(value);
                        if let Some(m) = mask {
                            f(m);
                        }
                    }
                    Op::WriteIndexed { index, value, mask, .. } => {
                        f(index);
                        f(value);
                        f(mask);
                    }
                    Op::WriteIndexedS { index, value, .. } => {
                        f(index);
                        f(value);
                    }
                    Op::Un(_, _, _, a)
                    | Op::Cvt(_, _, _, _, a)
                    | Op::Second(a)
                    | Op::Cast(_, a)
                    | Op::NonZero(a)
                    | Op::Shuffle(a, _)
                    | Op::ShuffleMask(a, _) => f(a),
                    Op::Bin(_, _, _, a, b)
                    | Op::Cmp(_, _, _, a, b)
                    | Op::Class(_, a, b)
                    | Op::ReadLane(a, b)
                    | Op::ReadFirstLane(a, b) => {
                        f(a);
                        f(b);
                    }
                    Op::Tern(_, _, _, a, b, c)
                    | Op::Select(a, b, c)
                    | Op::Permute { value: a, index: b, mask: c }
                    | Op::Scatter { value: a, index: b, mask: c } => {
                        f(a);
                        f(b);
                        f(c);
                    }
                    Op::AddCarry(a, b, c) | Op::SubBorrow(a, b, c) => {
                        f(a);
                        f(b);
                        if let Some(c) = c {
                            f(c);
                        }
                    }
                    Op::MadWide { args, .. } => {
                        for a in args {
                            f(a);
                        }
                    }
                    Op::LaneFn(_, args) => {
                        for a in args {
                            f(a);
                        }
                    }
                    Op::Mem(m) => m.$name(f),
                    Op::End(t) => match t {
                        Terminator::CondBranch { cond: v, .. } | Terminator::Jump(v) => f(v),
                        Terminator::GlobalSync { resource, value, .. } => {
                            f(resource);
                            f(value);
                        }
                        Terminator::Export { export, .. } => {
                            let Export { sources, mask, .. } = export;
                            for source in sources {
                                if let Some(v) = source {
                                    f(v);
                                }
                            }
                            f(mask);
                        }
                        Terminator::Branch(_)
                        | Terminator::Barrier { .. }
                        | Terminator::Sleep { .. }
                        | Terminator::Message { .. }
                        | Terminator::Trap { .. }
                        | Terminator::EndProgram
                        | Terminator::Unsupported { .. } => {}
                    },
                }
            }
        }

        impl MemOp {
            #[doc = $doc]
            pub fn $name(self: $($r)+ Self, f: &mut impl FnMut($($r)+ Value)) {
                let MemOp { space, data, mask, .. } = self;
                match space {
                    Space::Global { address, index } | Space::Scalar { address, index } => {
                        f(address);
                        if let Some(i) = index {
                            f(i);
                        }
                    }
                    Space::Flat { address }
                    | Space::Scratch { address }
                    | Space::Lds { address } => f(address),
                    Space::Buffer { resource, index, offset, soffset, .. } => {
                        for part in resource {
                            f(part);
                        }
                        if let Some(i) = index {
                            f(i);
                        }
                        if let Some(o) = offset {
                            f(o);
                        }
                        f(soffset);
                    }
                    Space::Image(image) => {
                        let Image { resource, sampler, address, .. } = image;
                        for part in resource {
                            f(part);
                        }
                        if let Some(sampler) = sampler {
                            for part in sampler {
                                f(part);
                            }
                        }
                        for dword in address {
                            f(dword);
                        }
                    }
                    Space::Gds { address, window } => {
                        f(address);
                        f(window);
                    }
                    Space::LdsPair { address, other } => {
                        f(address);
                        f(other);
                    }
                    Space::ScalarBuffer { resource, index } => {
                        for part in resource {
                            f(part);
                        }
                        if let Some(i) = index {
                            f(i);
                        }
                    }
                }
                for dword in data {
                    f(dword);
                }
                if let Some(m) = mask {
                    f(m);
                }
            }
        }
    };
}

walk!(for_each_operand, "Calls `f` for each value this uses, in the order of the text form.", &);
walk!(for_each_operand_mut, "Like `for_each_operand`, and lets `f` replace the values.", &mut);
