//! Listings of compiled code, for `wavetank dis --host`: each guest instruction, its IR nodes, and the host instructions of each.

use std::fmt::Write;

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, OpKind, Register};
use wavetank_ir::{Block, Reg};
use wavetank_memory::{Uniform, VECTOR_BYTES, VECTOR_REGISTERS, vector_name};

use crate::compiler::asm::fixed;
use crate::compiler::block::BlockCode;

/// The listing of a block. `guest` returns the text of the guest instruction at an address.
pub(super) fn listing(block: &Block, made: &BlockCode, guest: &dyn Fn(u64) -> String) -> String {
    let mut text = String::new();
    let mut shown = None;
    let assembled = &made.assembled;
    let code = &assembled.bytes[..assembled.code];
    let mut marks = assembled.marks.iter().peekable();
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    for instruction in &mut Decoder::with_ip(64, code, 0, DecoderOptions::NONE) {
        while let Some((_, v)) = marks.next_if(|(at, _)| *at as u64 <= instruction.ip()) {
            let pc = block.instruction_of(*v);
            if shown != Some(pc) {
                let _ = writeln!(text, "{pc:#x}  {}", guest(pc));
                shown = Some(pc);
            }
            let slow = made.by_helpers.iter().find(|slow| slow.node == *v);
            let reason = slow.map_or(String::new(), |slow| {
                format!("  ; slow path: {}", slow.reason)
            });
            let _ = writeln!(text, "    %{} = {}{reason}", v.0, block.node(*v).op);
        }
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        let names = names(&instruction);
        let comment = if names.is_empty() { "" } else { "  ; " };
        let _ = writeln!(
            text,
            "        {:4x}  {line}{comment}{names}",
            instruction.ip()
        );
    }
    text
}

/// The meaning of an instruction's memory operand to the guest.
fn names(instruction: &Instruction) -> String {
    let in_memory = (0..instruction.op_count()).any(|n| instruction.op_kind(n) == OpKind::Memory);
    let offset = instruction.memory_displacement64() as usize;
    match instruction.memory_base() {
        _ if !in_memory => String::new(),
        base if base == fixed::VECTOR => match offset / VECTOR_BYTES {
            n if n < VECTOR_REGISTERS => vector_name(n),
            n => format!("temporary {}", n - VECTOR_REGISTERS),
        },
        base if base == fixed::UNIFORM => of_uniform(offset),
        base if base == fixed::CONSTANTS => "constant".to_owned(),
        Register::RIP => "the constants".to_owned(),
        _ => String::new(),
    }
}

/// The name of the field at an offset in the uniform state.
fn of_uniform(offset: usize) -> String {
    use std::mem::offset_of;
    let scalars = offset_of!(Uniform, s)..offset_of!(Uniform, hw);
    let hardware = offset_of!(Uniform, hw)..offset_of!(Uniform, scc);
    let named = [
        (offset_of!(Uniform, scc), "scc"),
        (offset_of!(Uniform, pc), "pc"),
        (offset_of!(Uniform, budget), "budget"),
        (offset_of!(Uniform, all), "all lanes"),
    ];
    if scalars.contains(&offset) {
        return Reg::S((offset / 4) as u8).to_string();
    }
    if hardware.contains(&offset) {
        return Reg::Hw(((offset - hardware.start) / 4) as u8).to_string();
    }
    if offset >= size_of::<Uniform>() {
        return format!("temporary {}", (offset - size_of::<Uniform>()) / 8);
    }
    let known = named.iter().find(|(at, _)| *at == offset);
    known.map_or("counters", |(_, name)| name).to_owned()
}
