//! An engine against the plain evaluator on loops whose instructions go through another descriptor in each turn: below and above
//! what they used before, with few records or many, strides, swizzled, read-only, of unallocated memory; and through other
//! addresses, with another M0 and other lanes. Offsets lie around all that begins and ends, and around 2^31 and 2^32. Memory
//! between the allocations is unallocated, and stays as it is.

use wavetank_gcn::{Chip, Inst, parse};
use wavetank_memory::{ALIAS, Alignment, Rights, Wave};

use super::engine::levels;
use super::fusion::{blocks, compare};
use super::world::{Piece, Random, World};

/// Turns of a loop, each with a descriptor, addresses, an M0 and lanes of its own.
const TURNS: usize = 5;
/// The descriptors of the turns: four scalar registers each.
const DESCRIPTORS: usize = 4;
/// The scalar offsets, M0s, EXECs and bases of the turns.
const SOFFSETS: usize = 24;
const M0S: usize = 30;
const EXECS: usize = 36;
const BASES: usize = 46;
/// What a loop counts in.
const COUNTER: usize = 60;
/// The indices and offsets of the turns: pairs of vector registers.
const OFFSETS: usize = 0;
/// The addresses of the turns, pairs too.
const ADDRESSES: usize = 20;
/// What is loaded, and stored; and the sum of what was loaded in all turns.
const DATA: usize = 12;
const SUM: usize = 16;

/// Bytes of the memory of which allocations are parts.
const ARENA: u64 = 16384;

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

/// Accesses through descriptors, up to their addresses.
const BUFFER: [&str; 17] = [
    "buffer_load_ubyte v12",
    "buffer_load_sbyte v12",
    "buffer_load_ushort v12",
    "buffer_load_dword v12",
    "buffer_load_dword v12",
    "buffer_load_dwordx2 v[12:13]",
    "buffer_load_dwordx3 v[12:14]",
    "buffer_load_dwordx4 v[12:15]",
    "buffer_store_byte v12",
    "buffer_store_short v12",
    "buffer_store_dword v12",
    "buffer_store_dword v12",
    "buffer_store_dwordx2 v[12:13]",
    "buffer_store_dwordx4 v[12:15]",
    "buffer_atomic_add v12",
    "buffer_atomic_add_x2 v[12:13]",
    "buffer_load_format_xy v[12:13]",
];

/// Accesses by addresses, which stand at `{a}`; and to LDS or the global data share.
const FLAT: [&str; 9] = [
    "_load_ubyte v12, {a}",
    "_load_sshort v12, {a}",
    "_load_dword v12, {a}",
    "_load_dwordx2 v[12:13], {a}",
    "_load_dwordx4 v[12:15], {a}",
    "_store_byte {a}, v12",
    "_store_dword {a}, v12",
    "_store_dwordx3 {a}, v[12:14]",
    "_atomic_add {a}, v12",
];

const SHARED: [&str; 12] = [
    "ds_read_u8 v12, v1",
    "ds_read_i16 v12, v1",
    "ds_read_b32 v12, v1",
    "ds_read_b64 v[12:13], v1",
    "ds_read_b96 v[12:14], v1",
    "ds_read_b128 v[12:15], v1",
    "ds_write_b8 v1, v12",
    "ds_write_b32 v1, v12",
    "ds_write_b64 v1, v[12:13]",
    "ds_write_b128 v1, v[12:15]",
    "ds_add_u32 v1, v12",
    "ds_add_rtn_u64 v[12:13], v1, v[12:13]",
];

/// An access, which not every chip has. A tame one goes by addresses that are there in every turn.
fn access(random: &mut Random, tame: bool, soffset: &str) -> String {
    let near = pick(random, &[0, 0, 4, 12, 252, 4095]);
    match random.below(12) {
        0..6 => {
            let access = pick(random, &BUFFER);
            let glc = if access.contains("atomic") && random.below(2) == 0 {
                " glc"
            } else {
                ""
            };
            let (address, how) = match random.below(8) {
                0 if !tame => ("v[20:21]", "addr64"),
                1 => ("off", ""),
                2 => ("v0", "idxen"),
                3 => ("v[0:1]", "idxen offen"),
                _ => ("v1", "offen"),
            };
            format!("{access}, {address}, s[4:7], {soffset} {how} offset:{near}{glc}")
        }
        6 => {
            let access = pick(random, &FLAT);
            let access = access.replace("{a}", "v[20:21]");
            match random.below(2) {
                0 => format!("flat{access}"),
                _ => format!(
                    "global{access}, off offset:{}",
                    if tame {
                        0
                    } else {
                        pick(random, &[0, 4, -4, -4096])
                    }
                ),
            }
        }
        7 => {
            let access = pick(random, &FLAT).replace("{a}", if tame { "v0" } else { "v1" });
            format!(
                "global{access}, s[46:47] offset:{}",
                if tame {
                    4
                } else {
                    pick(random, &[0, 4, -4, 4095])
                }
            )
        }
        8..10 => {
            let gds = if random.below(3) == 0 { " gds" } else { "" };
            format!("{} offset:{near}{gds}", pick(random, &SHARED))
        }
        10 => pick(
            random,
            &[
                "scratch_load_dword v12, v1, off",
                "scratch_load_dwordx4 v[12:15], v1, off offset:-4",
                "scratch_store_dwordx2 v1, v[12:13], off offset:4",
                "scratch_load_ubyte v12, v1, off",
            ],
        )
        .replace("v1,", if tame { "v0," } else { "v1," }),
        _ => pick(
            random,
            &[
                "s_load_dwordx4 s[64:67], s[46:47], 0x4",
                "s_buffer_load_dwordx2 s[64:65], s[4:7], 0x8",
                "s_buffer_load_dwordx8 s[64:71], s[4:7], 0x0",
                "s_buffer_load_dword s64, s[4:7], s24",
            ],
        )
        .to_owned(),
    }
}

/// What follows is for another turn: all of the next one moves to where instructions find it.
fn next_turn() -> Vec<String> {
    let mut lines = vec!["s_mov_b64 exec, -1".to_owned()];
    let turns = 0..TURNS - 1;
    for n in turns {
        let scalar = |first: usize, pair: usize| first + 4 * n + 2 * pair;
        for pair in 0..2 {
            let at = scalar(DESCRIPTORS, pair);
            lines.push(format!(
                "s_mov_b64 s[{at}:{}], s[{}:{}]",
                at + 1,
                at + 4,
                at + 5
            ));
        }
        for first in [SOFFSETS, M0S] {
            lines.push(format!("s_mov_b32 s{}, s{}", first + n, first + n + 1));
        }
        for first in [EXECS, BASES] {
            let at = first + 2 * n;
            lines.push(format!(
                "s_mov_b64 s[{at}:{}], s[{}:{}]",
                at + 1,
                at + 2,
                at + 3
            ));
        }
        for first in [OFFSETS, ADDRESSES] {
            for half in 0..2 {
                let at = first + 2 * n + half;
                lines.push(format!("v_mov_b32 v{at}, v{}", at + 2));
            }
        }
    }
    lines
}

/// A loop of a few accesses.
fn program(random: &mut Random, chip: Chip, tame: bool) -> Vec<Inst> {
    let inst = |text: &str| parse(text, chip).unwrap_or_else(|error| panic!("{text}: {error}"));
    // The scalar offset is in all of them, or in none.
    let soffset = pick(random, &["0", "s24"]);
    let mut code = Vec::new();
    code.push(inst(&format!("s_movk_i32 s{COUNTER}, {TURNS}")));
    let first = code.len();
    code.push(inst(&format!("s_mov_b32 m0, s{M0S}")));
    code.push(inst(&format!("s_mov_b64 exec, s[{EXECS}:{}]", EXECS + 1)));
    let accesses = 1 + random.below(3);
    let mut made = 0;
    while made < accesses {
        // Not every chip has each of them.
        if let Ok(access) = parse(&access(random, tame, soffset), chip) {
            code.push(access);
            code.push(inst("s_waitcnt 0"));
            for n in 0..4 {
                code.push(inst(&format!(
                    "v_xor_b32 v{0}, v{0}, v{1}",
                    SUM + n,
                    DATA + n
                )));
                code.push(inst(&format!("s_xor_b32 s{0}, s{0}, s{1}", 72 + n, 64 + n)));
            }
            made += 1;
        }
    }
    code.extend(next_turn().iter().map(|line| inst(line)));
    code.push(inst(&format!("s_sub_u32 s{COUNTER}, s{COUNTER}, 1")));
    code.push(inst(&format!("s_cmp_lg_u32 s{COUNTER}, 0")));
    // Two dwords an instruction.
    let distance = (first as i64 - code.len() as i64 - 1) * 2;
    code.push(inst(&format!("s_cbranch_scc1 {distance}")));
    code.push(inst("s_endpgm"));
    code
}

/// Parts of the arena that are allocated: side by side or with room between, none at its ends.
fn pieces(random: &mut Random, tame: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 512 + pick(random, &[0, 4, 60, 256]);
    loop {
        let bytes = pick(random, &[64, 100, 256, 1024, 2048, 4096]);
        if start + bytes > ARENA - 512 {
            return pieces;
        }
        let rights = match random.below(5) {
            0 if !tame => Rights::Read,
            _ => Rights::ReadWrite,
        };
        pieces.push(Piece {
            start,
            bytes,
            rights,
        });
        start += bytes + pick(random, &[0, 0, 4, 64, 512, 2048]);
    }
}

/// What a turn finds: most of it is where something is.
fn turn(random: &mut Random, wave: &mut Wave, world: &World, (alias, tame): (u64, bool), n: usize) {
    let (arena, scratch) = world.places(alias);
    let piece = pick(random, world.pieces());
    let exec = [!0, !0, !0, random.next(), 1 << (n * 7), 0][random.below(6)];
    wave.set_s64((EXECS + 2 * n) as u8, exec);
    let m0 = [!0, !0, 64, 4096, 0, 0x0040_0100, 0xfffc_0008][random.below(7)];
    let soffset: u32 = if tame {
        0
    } else {
        pick(random, &[0, 0, 4, 64, 1 << 31, u32::MAX - 63])
    };
    let u = wave.uniform_mut();
    u.s[M0S + n] = m0;
    u.s[SOFFSETS + n] = soffset;
    let start = arena + piece.start;
    // Where offsets begin: at the allocation, below it, or so far that the sum is there again.
    let before = if tame && random.below(16) != 0 {
        0
    } else {
        pick(random, &[0, 0, 0, 0, 4, 64, 1 << 31, (1 << 32) - 128])
    };
    let base = start.wrapping_sub(before) & 0xffff_ffff_ffff;
    wave.set_s64((BASES + 2 * n) as u8, if tame { start } else { base });
    // A tame descriptor ends where the allocation does, or before.
    let bytes = piece.bytes as u32;
    let whole = (before + piece.bytes).min(u32::MAX.into()) as u32;
    let records = if tame {
        pick(random, &[whole, whole, whole, bytes, 64.min(bytes), 16, 0])
    } else {
        pick(random, &[whole, bytes, 64, 16, 0, 3 * bytes, u32::MAX])
    };
    let (stride, kind) = if tame {
        (0, 0)
    } else {
        (pick(random, &[0, 0, 0, 0, 0, 4, 16, 20]), random.below(8))
    };
    let [low, high] = match kind {
        // Scratch: swizzled, with ADD_TID and an index stride of 64.
        6 => [scratch | 1 << 63, u64::from(records) | 0x00e0_7fac << 32],
        // Swizzled, and of records.
        7 => [
            base | 16 << 48 | 1 << 63,
            u64::from(records) | 0x0022_7fac << 32,
        ],
        _ => [base | stride << 48, u64::from(records) | 0x0002_7fac << 32],
    };
    wave.set_s64((DESCRIPTORS + 4 * n) as u8, low);
    wave.set_s64((DESCRIPTORS + 4 * n + 2) as u8, high);
    offsets(random, wave, (start, base, piece.bytes, tame), n);
}

/// Rows, steps, one place, tiles, anything; and lanes that go elsewhere.
fn offsets(
    random: &mut Random,
    wave: &mut Wave,
    (start, base, bytes, tame): (u64, u64, u64, bool),
    n: usize,
) {
    let step = if tame {
        pick(random, &[4, 4, 8, 16, 12, 0])
    } else {
        pick(random, &[4, 4, 8, 16, 1, 2, 12, 0])
    };
    let shape = random.below(6);
    let begins = pick(
        random,
        &[
            0,
            0,
            0,
            4,
            if tame { 8 } else { 3 },
            bytes.saturating_sub(64 * step),
            bytes.saturating_sub(4),
        ],
    );
    let wild = [1 << 31, 1 << 32, bytes, 2 * bytes, 4096, ARENA];
    let strays = [0, 0, 0, 1 << random.below(64), !0xf, random.next()][random.below(6)];
    let far = pick(random, &wild);
    // An access without a descriptor faults where it goes astray.
    let addresses_stray = !tame && random.below(6) == 0;
    for lane in 0..64usize {
        let l = lane as u64;
        let place = begins
            + match shape {
                0..3 => step * l,
                3 => step * (l % 16) + 68 * (l / 16),
                4 => 4 * random.below(1 + bytes as usize / 4) as u64,
                _ => 0,
            };
        let stray = strays >> lane & 1 != 0;
        let there = if stray {
            far.wrapping_add(place).wrapping_sub(32)
        } else {
            place
        };
        let offset = start.wrapping_add(there).wrapping_sub(base);
        wave.vgpr_mut(OFFSETS + 2 * n)[lane] = if tame {
            l as u32 % 4 * 4
        } else {
            pick(random, &[0, 0, l as u32, 1])
        };
        wave.vgpr_mut(OFFSETS + 2 * n + 1)[lane] = offset as u32;
        let inside = if place + 16 <= bytes {
            place
        } else {
            l % 4 * 4
        };
        let address = start.wrapping_add(if addresses_stray { there } else { inside });
        wave.vgpr_mut(ADDRESSES + 2 * n)[lane] = address as u32;
        wave.vgpr_mut(ADDRESSES + 2 * n + 1)[lane] = (address >> 32) as u32;
    }
}

/// Loops on a chip. Gives how many ended in a fault.
fn loops(chip: Chip, count: u32) -> u32 {
    let mut random = Random::of(0xde5c_217b_7025 ^ (chip as u64) << 48);
    let mut faults = 0;
    for _ in 0..count {
        // Most go on whatever they do: what would be a fault is left out, and what is out of range is not.
        let tame = random.below(4) != 0;
        let code = program(&mut random, chip, tame);
        let world = World::of(
            ARENA as u32,
            pieces(&mut random, tame),
            Alignment::of(chip.generation()),
        );
        let seed = random.next();
        let alias = if seed & 2 != 0 { ALIAS } else { 0 };
        let start = || {
            let mut wave = world.start(seed, alias, 1 << 20);
            let random = &mut Random(seed | 1);
            for n in 0..TURNS {
                turn(random, &mut wave, &world, (alias, tame), n);
            }
            wave
        };
        let faulted = levels().iter().map(|simd| {
            let faulted = compare(&world, &code, (seed, *simd, alias), &start);
            // Whatever happened, unallocated memory is as it was.
            assert_eq!(world.stray(), None, "seed {seed:#x}, {simd:?}");
            faulted
        });
        faults += u32::from(faulted.fold(false, |any, f| any | f));
    }
    faults
}

/// How many loops there are on each chip.
fn count() -> u32 {
    blocks() / 10
}

#[test]
fn loops_over_descriptors() {
    let chips = [
        Chip::Gfx600,
        Chip::Gfx701,
        Chip::Gfx803,
        Chip::Gfx900,
        Chip::Gfx906,
    ];
    let results = chips.map(|chip| (chip, std::thread::spawn(move || loops(chip, count()))));
    for (chip, faults) in results {
        let faults = match faults.join() {
            Ok(faults) => faults,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        println!("{chip:?}: {faults} of {} loops fault", count());
        // Many come to their end, some do not.
        let most = count() / 4 * 3;
        assert!(
            levels().is_empty() || (1..most).contains(&faults),
            "{faults} on {chip:?}"
        );
    }
}
