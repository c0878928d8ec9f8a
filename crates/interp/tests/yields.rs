//! Where time slices end, by the list of `wavetank_machine`, on both back ends alike.

use std::sync::Arc;

use wavetank_gcn::{Chip, Inst, decode};
use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_machine::{Backend, Leave, YieldPoint};
use wavetank_memory::{Lds, MemoryUnit, Registry, Wave};

// The words are those of LLVM's assembler. v[0:1] and s[0:1] point to zeros, v4 and v6 are 0.
const LOAD: &[u32] = &[0xdc51_8000, 0x027f_0000, VMCNT_0]; // global_load_dword v2, v[0:1], off glc
const STORE: &[u32] = &[0xdc70_8100, 0x007f_0200]; // global_store_dword v[0:1], v2, off offset:256
const ADD: &[u32] = &[0xdd09_8000, 0x027f_0400, VMCNT_0]; // global_atomic_add v2, v[0:1], v4, off glc
const SWAP: &[u32] = &[0xdd05_8000, 0x027f_0300, VMCNT_0]; // global_atomic_cmpswap v2, v[0:1], v[3:4], off glc
const READ: &[u32] = &[0xd86c_0000, 0x0200_0006, LGKMCNT_0]; // ds_read_b32 v2, v6
const SCALAR: &[u32] = &[0xc003_0100, 0, LGKMCNT_0]; // s_load_dword s4, s[0:1], 0x0 glc
const INVALIDATE: &[u32] = &[0xc080_0000, 0]; // s_dcache_inv
const COUNT: &[u32] = &[0x8003_8103]; // s_add_u32 s3, s3, 1
const STEP: &[u32] = &[0x3200_0084, 0x3802_0280]; // v_add_co_u32 v0, vcc, 4, v0; v_addc_co_u32 v1, vcc, 0, v1, vcc
const SKIP_STORE: &[u32] = &[0xbf88_0002]; // s_cbranch_execz over STORE
const LANES: &[u32] = &[0x86fe_6a7e]; // s_and_b64 exec, exec, vcc
const COMPARE: &[u32] = &[0x7d94_0480]; // v_cmp_eq_u32 vcc, 0, v2
const WORK: &[u32] = &[0x7e0a_0302; 3]; // v_mov_b32 v5, v2, three times
const VMCNT_0: u32 = 0xbf8c_0f70;
const LGKMCNT_0: u32 = 0xbf8c_c07f;

/// How a time slice ended: why, where, and with which budget.
type End = (Leave, u64, i64);

/// Instructions that are repeated for ever.
fn repeated(code: &[&[u32]]) -> Vec<u32> {
    let mut words = code.concat();
    // s_branch, by dwords from the instruction after it.
    words.push(0xbf82_0000 | (-(words.len() as i32) - 1) as u32 & 0xffff);
    words
}

/// Gives a wave time slices of these budgets.
fn slices(backend: &mut dyn Backend, budgets: &[i64], v4: u32) -> Vec<End> {
    let registry = Registry::new();
    let zeros = registry.allocate("zeros", 1 << 16, 256).unwrap().address;
    let mut memory = MemoryUnit::new(&registry);
    memory.set_lds(Lds::new(64));
    let mut wave = Wave::new(0);
    wave.set_s64(0, zeros);
    wave.vgpr_mut(0).fill(zeros as u32);
    wave.vgpr_mut(1).fill((zeros >> 32) as u32);
    wave.vgpr_mut(3).fill(1);
    wave.vgpr_mut(4).fill(v4);
    let slice = |&budget: &i64| {
        wave.uniform_mut().budget = budget;
        let leave = backend.run(&mut wave, &mut memory);
        (leave, wave.uniform().pc, wave.uniform().budget)
    };
    budgets.iter().map(slice).collect()
}

/// How time slices of these budgets end; on every back end alike.
fn ends_with(words: &[u32], budgets: &[i64], v4: u32) -> Vec<End> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let source = Arc::new(move |pc: u64| -> Result<Inst, String> {
        let rest = bytes.get(pc as usize..).ok_or("outside the code")?;
        decode(rest, Chip::Gfx900).map_err(|e| e.to_string())
    });
    let plain = PlainProgram::new(source.clone(), false);
    let expected = slices(&mut Plain::new(&plain), budgets, v4);
    for simd in [Simd::Baseline, Simd::detect()] {
        let how = Translation {
            count: false,
            step: false,
            instrumented: false,
            simd,
        };
        let program = Program::new(source.clone(), how);
        let got = slices(&mut Interpreter::new(&program), budgets, v4);
        assert_eq!(got, expected, "{simd:?}");
    }
    expected
}

/// Why time slices of 100,000 instructions end.
fn ends(code: &[&[u32]], v4: u32) -> Vec<YieldPoint> {
    let ends = ends_with(&repeated(code), &[100_000; 3], v4);
    let why = |(leave, _, budget): &End| match leave.yield_point() {
        Some(point) => {
            assert_eq!(point.waits(), *budget > 0, "{ends:?}");
            point
        }
        None => panic!("{ends:?}"),
    };
    ends.iter().map(why).collect()
}

fn spins(code: &[&[u32]]) -> bool {
    let why = ends(code, 0);
    let spins = why.iter().all(|point| *point == YieldPoint::Spin);
    assert!(spins || !why.contains(&YieldPoint::Spin), "{why:?}");
    spins
}

#[test]
fn a_loop_that_learns_nothing_spins() {
    for load in [LOAD, READ, SCALAR] {
        assert!(spins(&[load]), "{load:x?}");
        assert!(spins(&[COUNT, load, COMPARE]), "{load:x?}");
    }
    assert!(spins(&[INVALIDATE, SCALAR]));
    assert!(spins(&[LOAD, COMPARE, LANES, WORK]));
}

#[test]
fn atomics_that_leave_memory_as_it_is_spin() {
    assert!(spins(&[ADD]));
    // The comparison with 7 fails: there are zeros.
    assert_eq!(ends(&[SWAP, COMPARE], 7), [YieldPoint::Spin; 3]);
    // The sum grows in each round.
    let counting = ends(&[ADD], 1);
    assert!(!counting.contains(&YieldPoint::Spin), "{counting:?}");
}

#[test]
fn loops_that_write_or_step_do_not_spin() {
    // The same value again and again, and a store.
    assert!(!spins(&[LOAD, STORE]));
    assert!(!spins(&[LOAD, WORK, COMPARE, SKIP_STORE, STORE]));
    // Zeros everywhere, but from other addresses: 16 KiB of them are enough for these time slices.
    let stepping = ends_with(&repeated(&[STEP, LOAD]), &[100_000; 3], 0);
    assert!(
        stepping.iter().all(|(_, _, budget)| *budget <= 0),
        "{stepping:?}"
    );
    // No load, nothing to wait for.
    assert!(!spins(&[COUNT, WORK]));
}

/// Instructions that are repeated while a branch is taken.
fn repeated_while(branch: u32, code: &[&[u32]]) -> Vec<u32> {
    let mut words = repeated(code);
    if let Some(back) = words.last_mut() {
        *back = *back & 0xffff | branch;
    }
    words.push(0xbf81_0000); // s_endpgm
    words
}

#[test]
fn loops_that_count_their_rounds_do_not_spin() {
    let differs: &[u32] = &[0xbf07_8003]; // s_cmp_lg_u32 s3, 0
    let (scc1, vccnz) = (0xbf85_0000, 0xbf87_0000); // s_cbranch_scc1, s_cbranch_vccnz
    let counted = repeated_while(scc1, &[LOAD, COMPARE, COUNT, differs]);
    let ends = ends_with(&counted, &[100_000; 3], 0);
    assert!(ends.iter().all(|(_, _, budget)| *budget <= 0), "{ends:?}");
    // What the load gave decides.
    let waiting = repeated_while(vccnz, &[COUNT, LOAD, COMPARE]);
    let ends = ends_with(&waiting, &[100_000; 3], 0);
    let spun = |(leave, ..): &End| matches!(leave, Leave::Spin(_));
    assert!(ends.iter().all(spun), "{ends:?}");
}

#[test]
fn a_store_that_no_lane_reaches_is_none() {
    // EXEC becomes 0 if v2 is 0 in all lanes, since v_cmp selects the lanes in which it is not; then the branch skips the store.
    let differs: &[u32] = &[0x7d9a_0480]; // v_cmp_ne_u32 vcc, 0, v2
    assert!(spins(&[LOAD, differs, LANES, SKIP_STORE, STORE]));
}

/// A wave that yielded at an instruction.
fn yielded(pc: u64, point: YieldPoint) -> Leave {
    Leave::yields(point, pc)
}

#[test]
fn time_slices_end_at_the_points_of_the_list_only() {
    let run_out = |code: &[u32]| ends_with(code, &[1], 0)[0].clone();
    // At the wait for a load before a write of memory.
    let load = [LOAD, WORK, STORE, &[0xbf81_0000]].concat();
    let (stop, next, _) = run_out(&load);
    assert_eq!((stop, next), (yielded(8, YieldPoint::Wait), 12));
    // At the last one of several, and at none if nothing is written.
    let loads = [LOAD, WORK, LOAD, WORK, STORE, &[0xbf81_0000]].concat();
    let (stop, next, _) = run_out(&loads);
    assert_eq!((stop, next), (yielded(8 * 4, YieldPoint::Wait), 9 * 4));
    let reads = [LOAD, WORK, LOAD, WORK, &[0xbf81_0000]].concat();
    assert_eq!(run_out(&reads).0, Leave::End(12 * 4));
    // Not in straight code, nor at a branch ahead, however small the budget is.
    let straight = [WORK, &[0xbf82_0000], WORK, &[0xbf81_0000]].concat();
    assert_eq!(run_out(&straight), (Leave::End(7 * 4), 7 * 4, -3));
    // At a branch back, after it, and at a computed jump: s_setpc_b64 s[6:7], which are 0.
    let back = repeated(&[WORK]);
    assert_eq!(
        run_out(&back),
        (yielded(3 * 4, YieldPoint::BackEdge), 0, -3)
    );
    let jump = [WORK, &[0xbe80_1d06]].concat();
    assert_eq!(run_out(&jump), (yielded(3 * 4, YieldPoint::Jump), 0, -3));
    // s_sleep 1
    assert_eq!(run_out(&[0xbf8e_0001]).0, yielded(0, YieldPoint::Sleep));
    // Where a wave spins, its loop goes back.
    let spins = ends_with(&repeated(&[LOAD]), &[100_000], 0);
    assert_eq!(spins[0].0, yielded(3 * 4, YieldPoint::Spin));
}

#[test]
fn time_slices_end_alike_on_every_back_end() {
    let budgets: Vec<i64> = (0..40).map(|n| 1 + n * n * 7 % 5000).collect();
    for code in [
        &[LOAD, COMPARE][..],
        &[STEP, LOAD, WORK],
        &[LOAD, STORE, READ, WORK],
        &[COUNT, READ, ADD, SCALAR],
    ] {
        ends_with(&repeated(code), &budgets, 0);
    }
}
