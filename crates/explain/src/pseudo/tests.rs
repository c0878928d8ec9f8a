//! Comparisons of pseudo-code with that of the Vega ISA document.

use wavetank_gcn::{Chip, Form, Op, parse};
use wavetank_translate::{Fidelity, fidelity};

use super::*;

fn row(name: &str, chip: Chip) -> Vec<String> {
    let named = |op: &Op| op.row().mnemonic(chip.generation()) == Some(name);
    let op = Op::all().find(named).expect("it exists");
    PseudoCode::of_row(op, chip).expect("it is executed").lines
}

/// Compares with the document's pseudo-code, in the notation used here (Vega ISA, 12.1 to 12.17).
#[test]
fn pseudo_code_is_the_documents() {
    let expected: &[(&str, &[&str])] = &[
        ("s_add_u32", &["D = S0 + S1", "SCC = carry(S0 + S1)"]),
        ("s_cselect_b64", &["D = SCC ? S0 : S1"]),
        (
            "s_and_saveexec_b64",
            &["D = EXEC", "EXEC = S0 & EXEC", "SCC = EXEC != 0"],
        ),
        ("s_cmpk_gt_i32", &["SCC = D.i32 > SIMM16.i16"]),
        ("s_swappc_b64", &["D = PC + len", "PC = S0"]),
        ("s_cbranch_vccnz", &["if VCC != 0: PC = TARGET"]),
        (
            "s_load_dwordx4",
            &["D = 16 bytes of memory at BASE + SOFFSET"],
        ),
        ("v_cndmask_b32", &["D = VCC ? S1 : S0"]),
        ("v_lshl_add_u32", &["D = (S0 << (S1 & 31)) + S2"]),
        ("v_lshrrev_b32", &["D = S1.u32 >> (S0 & 31)"]),
        ("v_ashrrev_i64", &["D = S1.i64 >> (S0 & 63)"]),
        ("v_mad_f32", &["D = S0.f32 * S1.f32 + S2.f32"]),
        ("v_madak_f32", &["D = S0.f32 * S1.f32 + K.f32"]),
        ("v_bfi_b32", &["D = (S0 & S1) | (~S0 & S2)"]),
        ("v_swap_b32", &["t = D", "D = S0", "S0 = t"]),
        (
            "v_cmpx_lt_f32",
            &["D = (S0.f32 < S1.f32) & EXEC", "EXEC = D"],
        ),
        (
            "ds_cmpst_rtn_b32",
            &[
                "old = 4 bytes of LDS at ADDR + OFFSET",
                "those 4 bytes = old == DATA0 ? DATA1 : old",
                "D = old",
            ],
        ),
        (
            "ds_read2st64_b64",
            &[
                "D[1:0] = 8 bytes of LDS at ADDR + 512 * OFFSET0",
                "D[3:2] = 8 bytes of LDS at ADDR + 512 * OFFSET1",
            ],
        ),
        (
            "image_sample_c_l_o",
            &[
                "DATA = sample_compare(RSRC, SAMP, ADDR = {offsets, reference, coordinates, level}, LOD = level)",
            ],
        ),
        (
            "image_gather4_lz",
            &["DATA = gather(RSRC, SAMP, ADDR = {coordinates}, LOD = 0)"],
        ),
        (
            "image_sample_b",
            &[
                "DATA = sample(RSRC, SAMP, ADDR = {bias, coordinates}, LOD = lod(coordinates) + bias)",
            ],
        ),
        // GCN wiki, "DS instructions", DS_ADD_SRC2_U32: B from the offset, or from the upper bits of the address.
        (
            "ds_add_src2_u32",
            &[
                "if OFFSET[15] == 0:",
                "  other = 4 bytes of LDS at (ADDR & 0xfffffffc) + 4 * sext(OFFSET[14:0])",
                "  old = 4 bytes of LDS at ADDR & 0xfffffffc",
                "  those 4 bytes = old + other",
                "else:",
                "  t = ADDR & 0x1ffff & 0xfffffffc",
                "  other = 4 bytes of LDS at t + ((ADDR.i32 >> 17) << 2)",
                "  old = 4 bytes of LDS at t",
                "  those 4 bytes = old + other",
            ],
        ),
    ];
    for (name, lines) in expected {
        assert_eq!(row(name, Chip::Gfx906), *lines, "{name}");
    }
}

/// Every executed instruction has pseudo-code, in which every name is explained.
#[test]
fn what_is_executed_has_pseudo_code() {
    for &chip in Chip::EXECUTED {
        for op in Op::all().filter(|op| op.row().exists_on(chip)) {
            let name = op.row().name(chip).unwrap_or_default();
            let Some(code) = PseudoCode::of_row(op, chip) else {
                let refused = matches!(fidelity(op, chip), Fidelity::Unsupported(_));
                assert!(refused, "{name} on {} is executed", chip.name());
                continue;
            };
            assert!(!code.lines.is_empty(), "{name} on {}", chip.name());
            for called in terms::called(&code.lines) {
                assert!(terms::is_known(called), "{name}: what is `{called}`?");
            }
            for line in &code.lines {
                assert!(!has_register(line), "{name} on {}: {line}", chip.name());
            }
        }
    }
}

/// GLOBAL and SCRATCH have pseudo-code of their own, with and without a scalar base, in which no memory is flat.
#[test]
fn segments_have_their_own_pseudo_code() {
    for op in Op::all().filter(|op| op.home() == Form::Flat && op.row().exists_on(Chip::Gfx900)) {
        let mut forms = vec![(Form::Global, "memory at SADDR + ADDR + OFFSET")];
        if op.scratch(Chip::Gfx900).is_some() {
            forms.push((Form::Scratch, "scratch at SADDR + OFFSET"));
        }
        for (form, with_base) in forms {
            let code = PseudoCode::of_form(op, form, Chip::Gfx900).expect("it is executed");
            let text = code.lines.join("\n");
            assert!(
                text.contains(with_base) && !text.contains("flat"),
                "{op:?}: {text}"
            );
            let bare = code.lines.iter().any(|line| has_register(line));
            assert!(
                !bare && text.contains(" at ADDR + OFFSET"),
                "{op:?}: {text}"
            );
        }
    }
}

/// Returns a function that an instruction calls in its IR.
fn lane_fn(text: &str) -> &'static wavetank_ir::LaneFn {
    let inst = parse(text, Chip::Gfx900).expect("it is text");
    let code = move |at: u64| match at {
        sample::PC => Ok(inst),
        _ => Err(String::new()),
    };
    let block = Translator::new(Arc::new(code), true).block(sample::PC, Modes::new(MODE, 0));
    let mut functions = block.simple.nodes.iter().filter_map(|node| match &node.op {
        wavetank_ir::Op::LaneFn(function, _) => Some(*function),
        _ => None,
    });
    functions.next().expect("it calls a function")
}

/// Numbers of single precision in which every rule of a division has its examples.
fn numbers() -> Vec<f32> {
    let special = [0.0, f32::INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE];
    let powers = (-149..128).step_by(3).map(|n| 1.37 * f32::powi(2.0, n));
    let all = special.into_iter().chain(powers);
    all.flat_map(|x| [x, -x]).collect()
}

/// The definition of `div_scale_f32`, rule by rule, gives the bits of the function that runs.
#[test]
fn div_scale_is_as_defined() {
    let function = lane_fn("v_div_scale_f32 v0, vcc, v1, v2, v3");
    let exponent = |x: f32| (x.abs().to_bits() >> 23) as i32;
    let (up, down) = (f32::powi(2.0, 64), f32::powi(2.0, -64));
    let defined = |a: f32, b: f32, c: f32| {
        let only = |this: f32, factor: f32| if a == this { a * factor } else { a };
        let (reciprocal, quotient) = ((1.0 / b).is_subnormal(), (c / b).is_subnormal());
        match () {
            () if b == 0.0 || c == 0.0 => (f32::NAN, false),
            () if exponent(c) - exponent(b) >= 96 => (only(b, up), true),
            () if b.is_subnormal() => (a * up, false),
            () if reciprocal && quotient => (only(b, down), true),
            () if reciprocal => (a * down, false),
            () if quotient => (only(c, up), true),
            () if exponent(c) <= 23 => (a * up, false),
            () => (a, false),
        }
    };
    for b in numbers() {
        for c in numbers() {
            for a in [b, c] {
                let (value, flag) = (function.call)([a, b, c, 0.0].map(|x| x.to_bits().into()));
                let (expected, post) = defined(a, b, c);
                let same = f32::from_bits(value as u32) == expected || expected.is_nan();
                assert!(same && flag == post, "{a:e} of {c:e} / {b:e}");
            }
        }
    }
}

/// The definition of `div_fixup_f32`, rule by rule, gives the bits of the function that runs.
#[test]
fn div_fixup_is_as_defined() {
    let function = lane_fn("v_div_fixup_f32 v0, v1, v2, v3");
    let exponent = |x: f32| (x.abs().to_bits() >> 23) as i32;
    let quiet = |x: f32| x.to_bits() | 1 << 22;
    let defined = |a: f32, b: f32, c: f32| {
        let both = |is: fn(f32) -> bool| is(b) && is(c);
        if c.is_nan() || b.is_nan() {
            return quiet(if c.is_nan() { c } else { b });
        }
        if both(|x| x == 0.0) || both(f32::is_infinite) {
            return 0xffc0_0000;
        }
        let size = match () {
            () if b == 0.0 || c.is_infinite() => f32::INFINITY,
            () if b.is_infinite() || c == 0.0 => 0.0,
            () if exponent(c) - exponent(b) < -150 => 0.0,
            () if !a.is_finite() => f32::INFINITY,
            () => a.abs(),
        };
        size.to_bits() | (b.to_bits() ^ c.to_bits()) & 1 << 31
    };
    for a in [7.5, -2.0, f32::INFINITY, f32::NAN] {
        for b in numbers() {
            for c in numbers() {
                let (value, _) = (function.call)([a, b, c, 0.0].map(|x: f32| x.to_bits().into()));
                assert_eq!(value as u32, defined(a, b, c), "{a:e} for {c:e} / {b:e}");
            }
        }
    }
}

/// The lines of `ds_swizzle_b32`, followed bit by bit, give the lanes that are taken.
#[test]
fn swizzles_are_as_written() {
    let reverse = |lane: u16| lane.reverse_bits() >> 11;
    for offset in (0..=0xffff_u16).step_by(37) {
        let text = format!("ds_swizzle_b32 v0, v1 offset:{offset}");
        let inst = parse(&text, Chip::Gfx900).expect("it is text");
        let code = move |at: u64| match at {
            sample::PC => Ok(inst),
            _ => Err(String::new()),
        };
        let block = Translator::new(Arc::new(code), true).block(sample::PC, Modes::new(MODE, 0));
        let mut tables = block.simple.nodes.iter().filter_map(|node| match &node.op {
            wavetank_ir::Op::Shuffle(_, table) => Some(table),
            _ => None,
        });
        let table = tables.next().expect("a shuffle");
        let (low, bit) = (offset & 31, |n: u16| offset >> n & 1);
        for lane in 0..64_u16 {
            let own = lane & 31;
            let source = if bit(15) == 0 {
                ((own & low) | offset >> 5 & 31) ^ (offset >> 10 & 31)
            } else if bit(14) == 0 {
                (own & 0b11100) | offset >> (2 * (own & 3)) & 3
            } else if bit(13) == 0 {
                let by = offset >> 5 & 31;
                let by = if bit(10) == 1 { by.wrapping_neg() } else { by };
                (own & low) | (own.wrapping_add(by) & !low)
            } else {
                (reverse(own) >> low.count_ones()) | (own & low)
            };
            let taken = (lane & 32) | (source & 31);
            assert_eq!(
                u16::from(table[usize::from(lane)]),
                taken,
                "{offset:#x}: {lane}"
            );
        }
    }
}

/// Every definition is of a function that an instruction calls, and the black boxes have one.
#[test]
fn black_boxes_are_defined() {
    let chips = [Chip::Gfx900, Chip::Gfx906];
    let codes = chips.into_iter().flat_map(|chip| {
        let ops = Op::all().filter(move |op| op.row().exists_on(chip));
        ops.filter_map(move |op| PseudoCode::of_row(op, chip))
    });
    let defined: std::collections::HashSet<&str> = codes
        .flat_map(|code| code.definitions)
        .map(|(name, _)| name)
        .collect();
    for (name, lines) in definitions::DEFINITIONS {
        assert!(defined.contains(name), "nothing calls {name}");
        assert!(terms::is_known(name) && !lines.is_empty(), "{name}");
    }
    assert_eq!(
        row("v_mad_mix_f32", Chip::Gfx900),
        ["D = mixed(S0) * mixed(S1) + mixed(S2)"]
    );
    assert_eq!(row("v_readlane_b32", Chip::Gfx900), ["D = lane(S0, S1)"]);
    assert_eq!(
        row("ds_bpermute_b32", Chip::Gfx900),
        ["D = taken(DATA, (ADDR + OFFSET) / 4 % 64)"]
    );
}

/// Whether a line contains a register of the sample, all of which should have names.
fn has_register(line: &str) -> bool {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let number = |word: &str| {
        word.strip_prefix(['v', 's'])
            .is_some_and(|n| n.parse::<u8>().is_ok())
    };
    words.into_iter().any(number)
}

#[test]
fn an_instruction_with_operands_has_their_names() {
    let lines = |text: &str| {
        let inst = parse(text, Chip::Gfx900).expect("it is text");
        PseudoCode::of_instruction(&inst)
            .expect("it is executed")
            .lines
    };
    assert_eq!(
        lines("v_add_f32 v0, |v1|, -v2"),
        ["v0 = |v1.f32| + -v2.f32"]
    );
    assert_eq!(
        lines(
            "v_add_u32_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:DWORD"
        ),
        ["v0[31:16] = (v1 & 255) + v2"]
    );
    assert_eq!(lines("v_mul_f32 v0, 0.5, v2"), ["v0 = 0.5 * v2.f32"]);
    // Vega ISA, V_LDEXP_F16: the constant is a half, whose bits are the exponent.
    assert_eq!(
        lines("v_ldexp_f16_e64 v0, v1, 2.0"),
        ["v0 = v1.f16 * 2 ** 0x4000"]
    );
    assert_eq!(lines("v_ldexp_f32 v0, v1, 3"), ["v0 = v1.f32 * 2 ** 3"]);
    assert_eq!(
        lines("buffer_load_dword off, s[4:7], s3 lds"),
        ["4 bytes of LDS at (LANE << 2) + (M0 & 0xffff) = 4 bytes of s[4:7] at s3"]
    );
    assert_eq!(lines("s_cbranch_scc1 2"), ["if SCC: PC = PC + 12"]);
    // Vega ISA, 13 "DPP" and 6.2 "OMOD".
    assert_eq!(
        lines(
            "v_add_f32_dpp v0, v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:0"
        ),
        ["v0 = (quad_perm(EXEC, 1, 0, 3, 2) ? quad_perm(v1, 1, 0, 3, 2) : 0).f32 + v2.f32"]
    );
    assert_eq!(
        lines("v_mov_b32_dpp v0, v1 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:0"),
        ["v0 = row_shr(EXEC, 3) ? row_shr(v1, 3) : 0"]
    );
    assert_eq!(
        lines("ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,3)"),
        ["v0 = swizzle(EXEC, 24, 3, 0) ? swizzle(v1, 24, 3, 0) : 0"]
    );
    assert_eq!(
        lines("v_add_f32_e64 v0, v1, v2 mul:4"),
        [
            // The product turns -0 into +0: docs/reference/errata.md, "OMOD".
            "v0 = (((v1.f32 + v2.f32) * 4.0) == 0x80000000) ? 0 : ((v1.f32 + v2.f32) * 4.0)",
            "where MODE has IEEE or keeps denormals of results:",
            "  v0 = v1.f32 + v2.f32",
        ]
    );
    assert_eq!(
        lines("global_load_dwordx2 v[0:1], v[2:3], off offset:8"),
        ["v[0:1] = 8 bytes of memory at v[2:3] + 8"]
    );
}

#[test]
fn what_stops_the_kernel_has_none() {
    use wavetank_gcn::tables::Sop1;
    let op = Op::from(Sop1::S_MOV_FED_B32);
    assert!(matches!(
        fidelity(op, Chip::Gfx900),
        Fidelity::Unsupported(_)
    ));
    assert_eq!(PseudoCode::of_row(op, Chip::Gfx900), None);
}
