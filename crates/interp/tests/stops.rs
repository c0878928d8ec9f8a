//! What makes a wave stop, seen through both back ends.

use std::sync::Arc;

use wavetank_gcn::{Chip, Inst, decode};
use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::{GlobalSync, LANES};
use wavetank_machine::{Backend, Event, Fault, Leave, Sent, SyncRequest};
use wavetank_memory::{MemoryUnit, Registry, Wave};

/// Runs words of gfx900 once on each back end from address 0; gives why they stopped, and where.
fn stops(words: &'static [u32], set: impl Fn(&mut Wave)) -> [(Leave, u64); 2] {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let source = Arc::new(move |pc: u64| -> Result<Inst, String> {
        let rest = bytes.get(pc as usize..).ok_or("outside the code")?;
        decode(rest, Chip::Gfx900).map_err(|e| e.to_string())
    });
    let how = Translation {
        count: false,
        step: false,
        instrumented: false,
        simd: Simd::detect(),
    };
    let plain = PlainProgram::new(source.clone(), false);
    let program = Program::new(source, how);
    let registry = Registry::new();
    let run = |backend: &mut dyn Backend| {
        let mut wave = Wave::new(0);
        set(&mut wave);
        wave.uniform_mut().budget = 10;
        let leave = backend.run(&mut wave, &mut MemoryUnit::new(&registry));
        (leave, wave.uniform().pc)
    };
    [
        run(&mut Plain::new(&plain)),
        run(&mut Interpreter::new(&program)),
    ]
}

/// The words are those of LLVM's assembler.
#[test]
fn exports() {
    let number = |register: usize, lane: usize| (100 * register + lane) as u32;
    let set = |wave: &mut Wave| {
        wave.set_s64(126, 0xf0f0);
        for register in 0..5 {
            *wave.vgpr_mut(register) = std::array::from_fn(|lane| number(register, lane));
        }
    };
    let data = |register| -> Option<Box<[u32; LANES]>> {
        Some(Box::new(std::array::from_fn(|lane| number(register, lane))))
    };
    let check = |words, expected: Sent| {
        for stop in stops(words, set) {
            let sent = expected.clone();
            assert_eq!(stop, (Event::Export { pc: 0, sent }.into(), 8));
        }
    };
    // exp pos0 v4, v2, off, v1 done vm
    let sent = Sent {
        target: 12,
        compressed: false,
        done: true,
        valid_mask: true,
        lanes: 0xf0f0,
        data: [data(4), data(2), None, data(1)],
    };
    check(&[0xc400_18cb, 0x0100_0204], sent);
    // exp mrt0 v4, v4, v3, v3 compr
    let sent = Sent {
        target: 0,
        compressed: true,
        done: false,
        valid_mask: false,
        lanes: 0xf0f0,
        data: [data(4), data(4), data(3), data(3)],
    };
    check(&[0xc400_040f, 0x0000_0304], sent);
}

#[test]
fn global_synchronization() {
    // ds_gws_barrier v1 offset:3 gds, with M0[21:16] = 2 and 9 in the first active lane.
    let set = |wave: &mut Wave| {
        wave.uniform_mut().s[124] = 2 << 16;
        wave.set_s64(126, 0xf0);
        wave.vgpr_mut(1)[4] = 9;
    };
    let expected = SyncRequest {
        op: GlobalSync::Barrier,
        resource: 5,
        value: 9,
    };
    for stop in stops(&[0xd93b_0003, 0x0000_0001], set) {
        let (pc, request) = (0, expected);
        assert_eq!(stop, (Event::GlobalSync { pc, request }.into(), 8));
    }
}

/// s_setkill 0 goes on, s_setkill 1 ends the wave.
#[test]
fn kills() {
    for stop in stops(&[0xbf8b_0000, 0xbf8b_0001], |_| {}) {
        assert_eq!(stop, (Leave::End(4), 4));
    }
}

/// Every stop has the address of its instruction, here after an s_nop, and the wave that of the next one, or the same where
/// it does not go on.
#[test]
fn stops_say_where() {
    const NOP: u32 = 0xbf80_0000;
    let check = |words, leave: Leave, next| {
        for stop in stops(words, |_| {}) {
            assert_eq!(stop, (leave.clone(), next));
        }
    };
    check(&[NOP, 0xbf81_0000], Leave::End(4), 4); // s_endpgm
    check(&[NOP, 0xbf8a_0000], Leave::Barrier(4), 8); // s_barrier
    check(&[NOP, 0xbf8e_0001], Leave::Sleep(4), 8); // s_sleep 1
    let (pc, message) = (4, 3);
    check(
        &[NOP, 0xbf90_0003],
        Event::Message { pc, message }.into(),
        8,
    ); // s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
    let trap = Fault::Trap { pc: 4, id: 2 }.into();
    check(&[NOP, 0xbf92_0002], trap, 4); // s_trap 2
    let refused = Fault::Unsupported {
        pc: 4,
        what: "s_sethalt 1: it halts the wave, and no debugger could resume it".into(),
    };
    check(&[NOP, 0xbf8d_0001], refused.into(), 4); // s_sethalt 1
    // After the load that is refused: global_load_dword v2, v[0:1], off at address 0.
    for (leave, next) in stops(&[NOP, 0xdc50_8000, 0x027f_0000], |wave| {
        wave.set_s64(126, 1);
    }) {
        assert!(matches!(leave.fault(), Some(Fault::Memory(_))), "{leave:?}");
        assert_eq!((leave.pc(), next), (4, 4));
    }
}
