//! Words after the operands.

use wavetank_gcn::tables::{Features, Op};
use wavetank_gcn::{Chip, Form, Generation};

use crate::random::Random;

const SELECTIONS: [&str; 7] = [
    "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
];
const UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
const CONTROLS: [&str; 21] = [
    "quad_perm:[0,1,2,3]",
    "quad_perm:[3,2,1,0]",
    "quad_perm:[0,0,0,0]",
    "quad_perm:[3,3,3,3]",
    "row_shl:1",
    "row_shl:15",
    "row_shr:1",
    "row_shr:15",
    "row_ror:1",
    "row_ror:15",
    "wave_shl:1",
    "wave_rol:1",
    "wave_shr:1",
    "wave_ror:1",
    "row_mirror",
    "row_half_mirror",
    "row_bcast:15",
    "row_bcast:31",
    "row_shl:0",
    "row_shr:16",
    "row_bcast:7",
];
/// Words that belong somewhere, to stand where they do not.
const STRAY: [&str; 30] = [
    "clamp",
    "mul:2",
    "glc",
    "slc",
    "tfe",
    "lds",
    "gds",
    "offen",
    "idxen",
    "addr64",
    "unorm",
    "da",
    "r128",
    "a16",
    "d16",
    "lwe",
    "done",
    "compr",
    "vm",
    "offset:4",
    "dmask:0x1",
    "op_sel:[1,0]",
    "op_sel_hi:[0,0]",
    "neg_lo:[1,0]",
    "row_mask:0x3",
    "bound_ctrl:0",
    "dst_sel:WORD_1",
    "high",
    "offset0:1",
    "dfmt:1",
];

/// Modifiers of a form, each with the chance that it stands there.
pub(crate) fn modifiers(
    random: &mut Random,
    op: Op,
    form: Form,
    chip: Chip,
    sources: usize,
) -> Vec<String> {
    let mut words = Vec::new();
    let row = op.row();
    let mut flag = |random: &mut Random, word: &str, one_in: usize| {
        if random.one_in(one_in) {
            words.push(if random.one_in(40) {
                format!("no{word}")
            } else {
                word.into()
            });
        }
    };
    match form {
        Form::Vop3 => {
            flag(
                random,
                "clamp",
                if row.has(Features::CLAMP) { 4 } else { 60 },
            );
            if row.has(Features::OMOD) && random.one_in(4) || random.one_in(60) {
                words.push(
                    random
                        .pick(&["mul:2", "mul:4", "div:2", "mul:1", "div:1"])
                        .into(),
                );
            }
            if row.has(Features::OP_SEL) && random.one_in(2) || random.one_in(80) {
                words.insert(0, list(random, "op_sel", sources + 1));
            }
            if row.has(Features::HALF_ATTR) && random.one_in(2) {
                words.push("high".into());
            }
        }
        Form::Vop3p => {
            for name in ["op_sel", "op_sel_hi", "neg_lo", "neg_hi"] {
                if random.one_in(if name.starts_with("op") { 3 } else { 5 }) {
                    words.push(list(random, name, sources));
                }
            }
            if random.one_in(5) {
                words.push("clamp".into());
            }
        }
        Form::Sdwa => sdwa(random, op, chip, sources, &mut words),
        Form::Dpp => {
            words.push(random.pick(&CONTROLS[..]).into());
            for mask in ["row_mask", "bank_mask"] {
                if random.one_in(2) {
                    words.push(format!(
                        "{mask}:{:#x}",
                        random.pick(&[0, 1, 10, 15, 15, 15, 16])
                    ));
                }
            }
            if random.one_in(3) {
                words.push(random.pick(&["bound_ctrl:0", "bound_ctrl:1"]).into());
            }
        }
        Form::Smem => {
            flag(
                random,
                "glc",
                if chip.generation() < Generation::Gfx8 {
                    60
                } else {
                    4
                },
            );
        }
        Form::Ds => ds(random, op, &mut words),
        Form::Exp => {
            for word in ["done", "compr", "vm"] {
                flag(random, word, 3);
            }
        }
        _ => {}
    }
    words
}

/// One word in a hundred where it does not belong.
pub(crate) fn stray(random: &mut Random) -> Option<&'static str> {
    random.one_in(60).then(|| random.pick(&STRAY))
}

/// `op_sel:[0,1,1]`.
fn list(random: &mut Random, name: &str, count: usize) -> String {
    let count = if random.one_in(12) {
        count + random.below(3) - 1
    } else {
        count
    };
    let bits: Vec<_> = (0..count.max(1))
        .map(|_| random.below(2).to_string())
        .collect();
    format!("{name}:[{}]", bits.join(","))
}

fn sdwa(random: &mut Random, op: Op, chip: Chip, sources: usize, words: &mut Vec<String>) {
    let row = op.row();
    if row.has(Features::CLAMP) && random.one_in(5) || random.one_in(60) {
        words.push("clamp".into());
    }
    let scaled = row.has(Features::OMOD) && chip.generation() == Generation::Gfx9;
    if scaled && random.one_in(5) || random.one_in(80) {
        words.push(random.pick(&["mul:2", "mul:4", "div:2"]).into());
    }
    let compares = matches!(op, Op::Vopc(_));
    if !compares && random.one_in(2) || random.one_in(60) {
        words.push(format!("dst_sel:{}", random.pick(&SELECTIONS)));
    }
    if !compares && random.one_in(2) || random.one_in(60) {
        words.push(format!("dst_unused:{}", random.pick(&UNUSED)));
    }
    for n in 0..sources {
        if random.one_in(2) {
            words.push(format!("src{n}_sel:{}", random.pick(&SELECTIONS)));
        }
    }
}

fn ds(random: &mut Random, op: Op, words: &mut Vec<String>) {
    let row = op.row();
    let two = row.has(Features::TWO_OFFSETS) != random.one_in(60);
    if two {
        for name in ["offset0", "offset1"] {
            if random.one_in(2) {
                words.push(format!(
                    "{name}:{}",
                    random.pick(&[0, 1, 127, 128, 254, 255, 255, 256])
                ));
            }
        }
    } else if random.one_in(2) {
        let name = row.mnemonic(Generation::Gfx9).unwrap_or_default();
        words.push(if name == "ds_swizzle_b32" && !random.one_in(4) {
            format!("offset:{}", swizzle(random))
        } else {
            format!(
                "offset:{}",
                random.pick(&[0, 1, 4, 255, 256, 4095, 65534, 65535, 65535, 65536, -1])
            )
        });
    }
    if row.has(Features::GDS_ONLY) != random.one_in(30) || random.one_in(6) {
        words.push("gds".into());
    }
}

fn swizzle(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!(
            "swizzle(QUAD_PERM,{},{},{},{})",
            random.below(4),
            random.below(4),
            random.below(4),
            random.below(4)
        ),
        1 => format!("swizzle(SWAP,{})", random.pick(&[1, 2, 4, 8, 16, 3, 32])),
        2 => format!(
            "swizzle(REVERSE,{})",
            random.pick(&[2, 4, 8, 16, 32, 1, 64])
        ),
        3 => format!(
            "swizzle(BROADCAST,{},{})",
            random.pick(&[2, 4, 8, 16, 32, 1]),
            random.pick(&[0, 1, 3, 15, 31])
        ),
        4 => {
            let bits: String = (0..5).map(|_| random.pick(&['0', '1', 'p', 'i'])).collect();
            format!("swizzle(BITMASK_PERM,\"{bits}\")")
        }
        _ => format!("{:#x}", random.next() as u16),
    }
}

/// Addressing of a buffer and its cache words.
pub(crate) fn buffer(random: &mut Random, op: Op, form: Form, chip: Chip) -> Vec<String> {
    let mut words: Vec<String> = match random.below(12) {
        0..=2 => vec![],
        3..=5 => vec!["offen".into()],
        6 | 7 => vec!["idxen".into()],
        8 | 9 => vec!["idxen".into(), "offen".into()],
        _ if chip.generation() < Generation::Gfx8 => vec!["addr64".into()],
        _ if random.one_in(12) => vec!["addr64".into()],
        _ => vec![],
    };
    if random.one_in(2) {
        words.push(format!(
            "offset:{}",
            random.pick(&[0, 1, 4, 255, 2048, 4094, 4095, 4095, 4095, 4096, -1])
        ));
    }
    let mut flag = |random: &mut Random, word: &str, one_in: usize| {
        if random.one_in(one_in) {
            words.push(if random.one_in(40) {
                format!("no{word}")
            } else {
                word.into()
            });
        }
    };
    flag(random, "glc", 4);
    flag(random, "slc", 5);
    flag(random, "tfe", 10);
    let row = op.row();
    flag(
        random,
        "lds",
        if row.has(Features::LDS_ONLY) {
            1
        } else if row.has(Features::LDS) {
            5
        } else {
            60
        },
    );
    if form == Form::Mtbuf {
        match random.below(6) {
            0 => words.insert(0, format!("dfmt:{}", random.pick(&[0, 1, 4, 14, 15, 16]))),
            1 => words.insert(0, format!("nfmt:{}", random.pick(&[0, 1, 6, 7, 8]))),
            2 => words.insert(
                0,
                format!("dfmt:{}, nfmt:{}", random.below(16), random.below(8)),
            ),
            3 => words.insert(0, format!("format:{}", random.pick(&[0, 1, 127, 77, 128]))),
            4 => {
                let data = random.pick(&[
                    "INVALID",
                    "8",
                    "16",
                    "8_8",
                    "32",
                    "16_16",
                    "10_11_11",
                    "11_11_10",
                    "10_10_10_2",
                    "2_10_10_10",
                    "8_8_8_8",
                    "32_32",
                    "16_16_16_16",
                    "32_32_32",
                    "32_32_32_32",
                    "RESERVED_15",
                ]);
                let numeric = random.pick(&[
                    "UNORM",
                    "SNORM",
                    "USCALED",
                    "SSCALED",
                    "UINT",
                    "SINT",
                    "SNORM_OGL",
                    "RESERVED_6",
                    "FLOAT",
                ]);
                words.insert(
                    0,
                    match random.below(3) {
                        0 => format!("format:[BUF_DATA_FORMAT_{data}]"),
                        1 => format!("format:[BUF_NUM_FORMAT_{numeric}]"),
                        _ => format!("format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{numeric}]"),
                    },
                );
            }
            _ => {}
        }
    }
    words
}

/// The modifiers of an image instruction, DMASK first.
pub(crate) fn image(random: &mut Random, op: Op, chip: Chip) -> Vec<String> {
    let mut words = Vec::new();
    let name = op.row().mnemonic(chip.generation()).unwrap_or("");
    let mask = match random.below(8) {
        0 => random.pick(&[0, 1, 3, 5, 7, 15, 16]),
        _ if op.row().has(Features::GATHER) => random.pick(&[1, 2, 4, 8]),
        _ if name.contains("cmpswap") => random.pick(&[3, 15]),
        _ if name.contains("atomic") => random.pick(&[1, 3]),
        _ => random.pick(&[1, 1, 3, 15, 15, 2, 4, 7, 8, 5]),
    };
    if !random.one_in(20) {
        words.push(format!("dmask:{mask:#x}"));
    }
    let gfx9 = chip >= Chip::Gfx900;
    let d16 = chip.generation() >= Generation::Gfx8;
    for (word, one_in) in [
        ("unorm", 3),
        ("glc", 4),
        ("slc", 5),
        ("a16", if gfx9 { 5 } else { 60 }),
        ("r128", if gfx9 { 60 } else { 5 }),
        ("tfe", 6),
        ("lwe", 6),
        ("da", 5),
        ("d16", if d16 { 5 } else { 60 }),
    ] {
        if random.one_in(one_in) {
            words.push(if random.one_in(40) {
                format!("no{word}")
            } else {
                word.into()
            });
        }
    }
    words
}

/// FLAT, GLOBAL, SCRATCH.
pub(crate) fn flat(random: &mut Random, op: Op, form: Form, chip: Chip) -> Vec<String> {
    let mut words = Vec::new();
    let gfx9 = chip.generation() == Generation::Gfx9;
    if gfx9 && random.one_in(2) || random.one_in(40) {
        let offset = match form {
            Form::Flat => random.pick(&[0, 1, 16, 2048, 4095, 4095, 4096, -1]),
            _ => random.pick(&[0, 1, -1, 16, 4095, 4095, -4096, -4096, 4096, -4097]),
        };
        words.push(format!("offset:{offset}"));
    }
    let tfe = if gfx9 { 60 } else { 20 };
    let lds = if op.row().has(Features::LDS) && gfx9 {
        30
    } else {
        100
    };
    for (word, one_in) in [
        ("glc", 3),
        ("slc", 4),
        ("tfe", tfe),
        ("lds", lds),
        ("nv", 60),
    ] {
        if random.one_in(one_in) {
            words.push(word.into());
        }
    }
    words
}
