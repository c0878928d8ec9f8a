//! Operands as text, whatever may stand in a place, edges first.

use wavetank_gcn::tables::OperandSpec;
use wavetank_gcn::tables::{Field, Kind, Ty};
use wavetank_gcn::{Form, Generation};

use crate::random::Random;

/// A span of registers: `v7`, `s[4:7]`.
fn span(file: &str, first: usize, count: usize) -> String {
    match count {
        1 => format!("{file}{first}"),
        _ => format!("{file}[{first}:{}]", first + count - 1),
    }
}

pub(crate) fn vgpr(random: &mut Random, count: usize) -> String {
    let edge = [0, 1, 2, 5, 63, 127, 128, 255, 256 - count, 256 - count];
    let first = match random.below(3) {
        0 => random.below(257 - count),
        _ => random.pick(&edge).min(256 - count),
    };
    span("v", first, count)
}

/// Special scalar registers of one and two dwords.
const SINGLE: [&str; 17] = [
    "m0",
    "vcc_lo",
    "vcc_hi",
    "exec_lo",
    "exec_hi",
    "m0",
    "vcc_lo",
    "vcc_hi",
    "exec_lo",
    "exec_hi",
    "flat_scratch_lo",
    "flat_scratch_hi",
    "xnack_mask_lo",
    "xnack_mask_hi",
    "tba_lo",
    "tma_hi",
    "ttmp11",
];
const DOUBLE: [&str; 11] = [
    "vcc",
    "exec",
    "vcc",
    "exec",
    "vcc",
    "flat_scratch",
    "xnack_mask",
    "tba",
    "tma",
    "ttmp[2:3]",
    "ttmp[10:11]",
];

pub(crate) fn sgpr(random: &mut Random, count: usize, generation: Generation) -> String {
    let limit = if generation < Generation::Gfx8 {
        104
    } else {
        102
    };
    match count {
        1 if random.one_in(4) => return random.pick(&SINGLE).into(),
        2 if random.one_in(4) => return random.pick(&DOUBLE).into(),
        4 if random.one_in(8) => return "ttmp[4:7]".into(),
        _ => {}
    }
    let unit = count.min(4).next_power_of_two();
    let last = (limit - count) / unit * unit;
    let first = match random.below(3) {
        0 => random.below(last / unit + 1) * unit,
        _ => random.pick(&[0, unit, 2 * unit, last, 32, last]),
    };
    span("s", first, count)
}

/// Numbers at the edges of what is inline and what is a literal, of 16, 32 and
/// 64 bits.
const NUMBERS: [&str; 44] = [
    "0",
    "1",
    "64",
    "-1",
    "-16",
    "33",
    "0",
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "0.15915494",
    "0x3e22f983",
    "0x3118",
    "0x3f800000",
    "0x3c00",
    "0xbc00",
    "1.0",
    "-4.0",
    "7",
    "-5",
    "65",
    "-17",
    "0x1234",
    "0xffff",
    "0x10000",
    "0x12345678",
    "0xffffffff",
    "0x80000000",
    "0x7fffffff",
    "1.5",
    "-0.0",
    "100.0",
    "1e10",
    "0.1",
    "65504.0",
    "0x3ff0000000000000",
    "0x100000000",
    "-32769",
    "0.15915494309189532",
];
/// How many of them are inline in most places.
const INLINE: usize = 25;
const SPECIAL: [&str; 9] = [
    "vccz",
    "execz",
    "scc",
    "src_scc",
    "src_shared_base",
    "src_private_limit",
    "src_pops_exiting_wave_id",
    "src_lds_direct",
    "src_execz",
];

/// A constant; a literal seldom, where the form has no room for one.
pub(crate) fn number(random: &mut Random, literals: bool) -> String {
    match random.below(40) {
        0 => return random.pick(&SPECIAL).into(),
        1 => return (random.below(90) as i64 - 20).to_string(),
        2 => return format!("lit({})", random.pick(&NUMBERS)),
        3 if literals => return format!("0x{:x}", random.next() as u32 >> random.below(32)),
        _ => {}
    }
    if literals || random.one_in(20) {
        random.pick(&NUMBERS).into()
    } else {
        random.pick(&NUMBERS[..INLINE]).into()
    }
}

/// A source of the scalar or vector units.
pub(crate) fn source(
    random: &mut Random,
    spec: &OperandSpec,
    form: Form,
    generation: Generation,
) -> String {
    let count = usize::from(spec.ty.dwords()).max(1);
    let scalar = matches!(form, Form::Sop1 | Form::Sop2 | Form::Sopc | Form::Smem);
    let literals = !matches!(
        form,
        Form::Vop3 | Form::Vop3p | Form::Sdwa | Form::Dpp | Form::Mubuf | Form::Mtbuf
    );
    let first = spec.field == Field::Src0;
    let short = matches!(form, Form::Vop2 | Form::Vopc) && !first;
    let choice = random.below(12);
    match () {
        _ if scalar && choice < 7 => sgpr(random, count, generation),
        _ if scalar => number(random, literals),
        _ if (short || form == Form::Dpp) && choice < 11 => vgpr(random, count),
        _ if form == Form::Sdwa && generation == Generation::Gfx8 && choice < 11 => {
            vgpr(random, count)
        }
        _ if choice < 5 => vgpr(random, count),
        _ if choice < 8 => sgpr(random, count, generation),
        _ => number(random, literals),
    }
}

/// An operand that is a number of the instruction, in one of its notations.
pub(crate) fn immediate(random: &mut Random, kind: Kind) -> String {
    let n = random.pick(&[
        0, 1, 2, 15, 16, 63, 64, 65, 255, 256, 0x7fff, 0x8000, 0xffff,
    ]);
    match kind {
        Kind::Hwreg => hwreg(random),
        Kind::Waitcnt => waitcnt(random),
        Kind::Sendmsg => sendmsg(random),
        Kind::GprIdx => match random.below(3) {
            0 => random.below(17).to_string(),
            1 => "gpr_idx(SRC0,DST)".into(),
            _ => {
                let names = ["SRC0", "SRC1", "SRC2", "DST"];
                let mask = random.below(16);
                let on: Vec<_> = (0..4)
                    .filter(|b| mask >> b & 1 != 0)
                    .map(|b| names[b])
                    .collect();
                format!("gpr_idx({})", on.join(","))
            }
        },
        Kind::Attr => format!(
            "attr{}.{}",
            random.pick(&[0, 1, 31, 32, 33]),
            random.pick(&["x", "y", "z", "w"])
        ),
        Kind::Param => random.pick(&["p10", "p20", "p0"]).into(),
        Kind::ExportTarget => random
            .pick(&[
                "mrt0",
                "mrt7",
                "mrtz",
                "null",
                "pos0",
                "pos3",
                "param0",
                "param31",
                "mrt8",
                "pos4",
                "param32",
                "invalid_target_10",
            ])
            .into(),
        Kind::Target | Kind::Simm16 | Kind::Count if random.one_in(6) => random
            .pick(&["-1", "-32768", "-32769", "65536", "-5"])
            .into(),
        Kind::Simm16 if random.one_in(2) => format!("{n:#x}"),
        Kind::Probe => random.pick(&[0, 1, 7, 64, 65, 127, 255]).to_string(),
        _ => n.to_string(),
    }
}

fn hwreg(random: &mut Random) -> String {
    let names = [
        "HW_REG_MODE",
        "HW_REG_STATUS",
        "HW_REG_TRAPSTS",
        "HW_REG_HW_ID",
        "HW_REG_GPR_ALLOC",
        "HW_REG_LDS_ALLOC",
        "HW_REG_IB_STS",
        "HW_REG_SH_MEM_BASES",
        "HW_REG_TBA_LO",
        "HW_REG_TBA_HI",
        "HW_REG_TMA_LO",
        "HW_REG_TMA_HI",
        "HW_REG_XNACK_MASK",
        "1",
        "8",
        "15",
        "63",
        "64",
    ];
    let name = random.pick(&names);
    match random.below(4) {
        0 => format!("hwreg({name})"),
        1 => random
            .pick(&["0", "0xf801", "65535", "-1", "0x1881", "-32768"])
            .into(),
        _ => {
            let offset = random.pick(&[0, 1, 15, 31, 31, 32]);
            let size = random.pick(&[1, 2, 16, 31, 32, 0, 33]);
            format!("hwreg({name}, {offset}, {size})")
        }
    }
}

fn waitcnt(random: &mut Random) -> String {
    let mut parts = Vec::new();
    for (name, values) in [
        ("vmcnt", [0, 1, 15, 16, 63, 64]),
        ("expcnt", [0, 1, 3, 6, 7, 8]),
        ("lgkmcnt", [0, 1, 7, 14, 15, 16]),
    ] {
        if random.one_in(2) {
            let sat = if random.one_in(6) { "_sat" } else { "" };
            parts.push(format!(
                "{name}{sat}({})",
                values[random.below(6).min(random.below(7))]
            ));
        }
    }
    if parts.is_empty() {
        random
            .pick(&["0", "0xffff", "3952", "0xf7f", "49279", "65535", "-1"])
            .into()
    } else {
        parts.join(random.pick(&[" ", " & ", ", "]))
    }
}

fn sendmsg(random: &mut Random) -> String {
    let message = random.pick(&[
        "MSG_INTERRUPT",
        "MSG_GS",
        "MSG_GS_DONE",
        "MSG_SAVEWAVE",
        "MSG_STALL_WAVE_GEN",
        "MSG_HALT_WAVES",
        "MSG_ORDERED_PS_DONE",
        "MSG_EARLY_PRIM_DEALLOC",
        "MSG_GS_ALLOC_REQ",
        "MSG_GET_DOORBELL",
        "MSG_SYSMSG",
        "MSG_GET_DDID",
        "0",
        "1",
        "2",
        "3",
        "4",
        "15",
        "16",
    ]);
    let operation = match message {
        "MSG_GS" | "MSG_GS_DONE" | "2" | "3" => random.pick(&[
            "GS_OP_NOP",
            "GS_OP_CUT",
            "GS_OP_EMIT",
            "GS_OP_EMIT_CUT",
            "0",
            "1",
            "3",
            "4",
        ]),
        "MSG_SYSMSG" | "15" => random.pick(&[
            "SYSMSG_OP_ECC_ERR_INTERRUPT",
            "SYSMSG_OP_REG_RD",
            "SYSMSG_OP_HOST_TRAP_ACK",
            "SYSMSG_OP_TTRACE_PC",
            "0",
            "1",
            "4",
            "5",
        ]),
        _ => random.pick(&["0", "1", "7", "8"]),
    };
    match random.below(8) {
        0 => random
            .pick(&[
                "0", "1", "0x12", "34", "0xffff", "65535", "-1", "0x322", "4104",
            ])
            .into(),
        1 | 2 => format!("sendmsg({message})"),
        3..=5 => format!("sendmsg({message}, {operation})"),
        _ => format!("sendmsg({message}, {operation}, {})", random.below(5)),
    }
}

/// Whether a source is written within signs here, and how.
pub(crate) fn signs(random: &mut Random, text: String, float: bool, form: Form) -> String {
    let likely = matches!(form, Form::Vop3 | Form::Sdwa | Form::Dpp);
    let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if likely && float && random.one_in(3) || random.one_in(150) {
        return match random.below(5) {
            0 => format!("|{text}|"),
            1 if !number => format!("-|{text}|"),
            2 => format!("abs({text})"),
            3 if !number => format!("-{text}"),
            _ => format!("neg({text})"),
        };
    }
    if form == Form::Sdwa && !float && random.one_in(3) || random.one_in(200) {
        return format!("sext({text})");
    }
    text
}

/// Whether a type is one whose sources take signs.
pub(crate) fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32 | Ty::F64)
}
