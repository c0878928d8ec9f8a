//! Waves of every stage: what they start with, and what they send out. Values are those of the comments.

use wavetank::stage::{ExportTarget, Outcome, Shader, Stage, UnknownStage, parameters};
use wavetank::{Chip, Device, Error, Module};
use wavetank_gcn::{encode, parse};

/// A chip of each generation.
const CHIPS: [Chip; 4] = [Chip::Gfx600, Chip::Gfx701, Chip::Gfx803, Chip::Gfx900];
/// Word 3 of a buffer of dwords: x, y, z, w; 32 bits, float.
const WORD3: u32 = 0x27fac;

/// The code of some lines, on a device with one thread.
fn module(chip: Chip, source: &str) -> Module {
    let device = Device::builder(chip).threads(1).build().unwrap();
    device.load_code(&code(chip, source)).unwrap()
}

/// Lines as words.
fn code(chip: Chip, source: &str) -> Vec<u8> {
    let lines = source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let bytes = lines.flat_map(|line| {
        let inst = parse(line, chip).unwrap_or_else(|error| panic!("{line}: {error}"));
        encode(&inst).expect(line).as_bytes().to_vec()
    });
    bytes.collect()
}

fn shader(chip: Chip, stage: Stage, source: &str) -> Shader<'static> {
    Shader::new(&module(chip, source), stage, "main").unwrap()
}

fn values(outcome: &Outcome, target: &str, component: usize) -> Vec<Option<u32>> {
    outcome.values(target.parse().unwrap(), component)
}

/// A hundred vertices, whose positions stand in a buffer that user data name: two waves, the second of 36.
#[test]
fn vertices_export_positions_and_parameters() {
    let source = "
        v_lshlrev_b32 v1, 3, v0
        buffer_load_dwordx2 v[2:3], v1, s[0:3], 0 offen
        v_mov_b32 v4, 1.0
        s_waitcnt vmcnt(0)
        exp pos0 v2, v3, v4, v4 done
        exp param1 v0, off, off, off
        s_endpgm";
    for chip in CHIPS {
        let module = module(chip, source);
        let positions: Vec<f32> = (0..200).map(|n| n as f32).collect();
        let buffer = module.device().buffer_from(&positions).unwrap();
        let outcome = Shader::new(&module, Stage::Vertex, "main")
            .unwrap()
            .items(100)
            .arg(&buffer)
            .user_data(&[800, WORD3])
            .input(&(0..100).collect::<Vec<_>>())
            .run()
            .unwrap();
        assert_eq!(outcome.report.waves, 2);
        let floats = |n| -> Vec<f32> {
            let values = values(&outcome, "pos0", n).into_iter();
            values
                .map(|v| f32::from_bits(v.expect("exported")))
                .collect()
        };
        assert_eq!(
            floats(0),
            (0..100).map(|n| 2.0 * n as f32).collect::<Vec<_>>(),
            "{chip}"
        );
        assert_eq!(
            floats(1),
            (0..100).map(|n| 2.0 * n as f32 + 1.0).collect::<Vec<_>>()
        );
        assert_eq!(floats(3), [1.0; 100]);
        assert_eq!(
            values(&outcome, "param1", 0),
            (0..100).map(Some).collect::<Vec<_>>()
        );
        assert_eq!(values(&outcome, "param1", 1), [None; 100]);
        assert_eq!(outcome.exports.len(), 4);
        assert_eq!(outcome.complaints(), [""; 0]);
    }
}

/// Two triangles: the second begins at lane 4, as the mask in M0 says. Red is 1, 3, 2 at the corners of the first triangle
/// and 10, 10, 20 at those of the second; at (i, j) = (0.5, 0.25) that is 1 + 0.5 * 2 + 0.25 * 1 and 10 + 0.25 * 10.
#[test]
fn pixels_interpolate_and_export_colors() {
    let source = "
        s_mov_b32 m0, s0
        v_interp_p1_f32 v2, v0, attr1.x
        v_interp_p2_f32 v2, v1, attr1.x
        v_cvt_pkrtz_f16_f32 v3, v2, v2
        exp mrt0 v2, off, off, v0
        exp mrt1 v3, v3, v3, v3 done compr vm
        s_endpgm";
    let other = [[0.0; 3]; 4];
    let red = |corners| [corners, [0.0; 3], [0.0; 3], [0.0; 3]];
    let lds = parameters(&[
        vec![other, red([1.0, 3.0, 2.0])],
        vec![other, red([10.0, 10.0, 20.0])],
    ]);
    for chip in CHIPS {
        let outcome = shader(chip, Stage::Pixel, source)
            .items(6)
            .own(&[1 << 16])
            .input(&[0.5f32.to_bits()])
            .input(&[0.25f32.to_bits()])
            .lds(&lds)
            .run()
            .unwrap();
        let bits = |v: f32| Some(v.to_bits());
        let (first, second) = (bits(2.25), bits(12.5));
        let wanted = [first, first, first, first, second, second];
        assert_eq!(values(&outcome, "mrt0", 0), wanted, "{chip}");
        assert_eq!(values(&outcome, "mrt0", 1), [None; 6]);
        assert_eq!(values(&outcome, "mrt0", 3), [bits(0.5); 6]);
        // 2.25 and 12.5 in half precision.
        let halves = [0x4080, 0x4080, 0x4080, 0x4080, 0x4a40, 0x4a40].map(Some);
        for component in 0..4 {
            assert_eq!(values(&outcome, "mrt1", component), halves);
        }
        assert_eq!(outcome.complaints(), [""; 0]);
    }
}

/// The two waves of a patch exchange what they have through LDS: item n gets 127 - n.
#[test]
fn hulls_share_lds() {
    let source = "
        s_mov_b32 m0, -1
        v_lshlrev_b32 v1, 2, v0
        ds_write_b32 v1, v0
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_sub_u32 v2, 0x1fc, v1
        ds_read_b32 v3, v2
        s_waitcnt lgkmcnt(0)
        buffer_store_dword v3, v1, s[0:3], 0 offen
        s_endpgm";
    let module = module(Chip::Gfx900, source);
    let buffer = module.device().buffer_zeroed(512).unwrap();
    let outcome = Shader::new(&module, Stage::Hull, "main")
        .unwrap()
        .items(128)
        .group(128)
        .arg(&buffer)
        .user_data(&[512, WORD3])
        .input(&(0..128).collect::<Vec<_>>())
        .lds_bytes(512)
        .run()
        .unwrap();
    assert_eq!(outcome.report.groups, 1);
    let expected: Vec<u32> = (0..128).rev().collect();
    assert_eq!(buffer.read::<u32>().unwrap(), expected);
    assert_eq!(outcome.complaints(), [""; 0], "a hull exports nothing");
}

/// A vertex's outputs lie in a ring, one after the other as waves were started: there, each wave has 4 dwords of its 64 lanes,
/// those of a lane 64 dwords apart. That is a buffer with the lane added to the index (23), an index stride of 64 (22:21) and
/// elements of 4 bytes (20:19, fixed on gfx9), swizzled (31 of word 1); gfx8 and gfx9 have bits of the stride where gfx6 and
/// gfx7 have the format (Vega ISA, 8.1.5). A geometry shader finds them through a plain descriptor: here primitive n requests
/// vertex 127 - n.
#[test]
fn exported_vertices_reach_geometry_by_the_ring() {
    let vertices = "
        v_cvt_f32_u32 v1, v0
        v_mul_f32 v2, 0.5, v1
        buffer_store_dword v1, off, s[0:3], s4 glc slc
        buffer_store_dword v2, off, s[0:3], s4 offset:12 glc slc
        s_waitcnt vmcnt(0)
        s_endpgm";
    let geometry = "
        buffer_load_dword v2, v0, s[0:3], 0 offen
        buffer_load_dword v3, v0, s[0:3], 0 offen offset:768
        s_waitcnt vmcnt(0)
        buffer_store_dwordx2 v[2:3], v1, s[4:7], 0 offen
        s_mov_b32 m0, s8
        s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
        s_endpgm";
    for chip in CHIPS {
        let module = module(chip, vertices);
        let device = module.device().clone();
        let ring = device.buffer_zeroed(2048).unwrap();
        let format = match chip {
            Chip::Gfx600 | Chip::Gfx701 => WORD3,
            _ => 0xfac,
        };
        let element = if chip == Chip::Gfx900 { 0 } else { 1 << 19 };
        let [low, high] = [0, 32].map(|n| (ring.address() >> n) as u32);
        let swizzled = [
            low,
            high | 16 << 16 | 1 << 31,
            2048,
            format | element | 3 << 21 | 1 << 23,
        ];
        let outcome = Shader::new(&module, Stage::Export, "main")
            .unwrap()
            .items(128)
            .user_data(&swizzled)
            .own(&[0, 1024])
            .input(&(0..128).collect::<Vec<_>>())
            .run()
            .unwrap();
        assert_eq!(outcome.complaints(), [""; 0], "{chip}");
        let lies = ring.read::<u32>().unwrap();
        for n in 0..128usize {
            let at = n / 64 * 256 + n % 64;
            assert_eq!(lies[at], (n as f32).to_bits(), "{chip} {n}");
            assert_eq!(lies[at + 3 * 64], (n as f32 / 2.0).to_bits(), "{chip} {n}");
        }

        let code = code(chip, geometry);
        let out = device.buffer_zeroed(1024).unwrap();
        let vertex = |n: u32| (127 - n) / 64 * 1024 + (127 - n) % 64 * 4;
        let outcome = Shader::new(&device.load_code(&code).unwrap(), Stage::Geometry, "main")
            .unwrap()
            .items(128)
            .user_data(&[low, high, 2048, WORD3])
            .arg(&out)
            .user_data(&[1024, WORD3])
            .own(&[0, 1])
            .input(&(0..128).map(vertex).collect::<Vec<_>>())
            .input(&(0..128).map(|n| 8 * n).collect::<Vec<_>>())
            .run()
            .unwrap();
        assert_eq!(outcome.messages.len(), 2);
        let want = (0..128).rev().flat_map(|n| [n as f32, n as f32 / 2.0]);
        assert_eq!(
            out.read::<f32>().unwrap(),
            want.collect::<Vec<_>>(),
            "{chip}"
        );
    }
}

/// Two waves, each of which sees what it has stored itself.
#[test]
fn waves_of_stages_have_scratch() {
    let source = "
        s_mov_b32 s0, 0
        scratch_store_dword off, v0, s0 offset:60
        s_waitcnt vmcnt(0)
        s_barrier
        scratch_load_dword v1, off, s0 offset:60
        s_waitcnt vmcnt(0)
        exp mrt0 v1, off, off, off done vm
        s_endpgm";
    let pixels = |scratch| {
        let shader = shader(Chip::Gfx900, Stage::Pixel, source).scratch(scratch);
        let shader = shader.items(128).group(128);
        shader.input(&(0..128).collect::<Vec<_>>()).run()
    };
    let wanted: Vec<_> = (0..128).map(Some).collect();
    assert_eq!(values(&pixels(64).unwrap(), "mrt0", 0), wanted);
    let message = pixels(32).unwrap_err().to_string();
    assert!(message.contains("which has 32 bytes"), "{message}");
}

/// Message 2 is MSG_GS with its operation in bits 5:4 (1 cut, 2 emit), 3 MSG_GS_DONE (Vega ISA, 12.5 S_SENDMSG).
#[test]
fn geometry_emits_and_cuts() {
    let source = "
        s_mov_b32 m0, s1
        s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)
        s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)
        s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
        s_endpgm";
    for chip in CHIPS {
        let outcome = shader(chip, Stage::Geometry, source)
            .items(65)
            .user_data(&[0])
            .own(&[7, 8])
            .run()
            .unwrap();
        let sent: Vec<_> = outcome
            .messages
            .iter()
            .map(|m| (m.group.index, m.m0, m.code))
            .collect();
        let of = |wave, m0| [(wave, m0, 0x22), (wave, m0, 0x12), (wave, m0, 3)];
        assert_eq!(sent, [of(0, 7), of(1, 8)].concat(), "{chip}");
    }
}

/// The first wave has number 1: it waits for the second, which counts first.
#[test]
fn waves_count_in_their_order() {
    let source = "
        s_mov_b32 m0, s0
        v_mov_b32 v1, 3
        ds_ordered_count v2, v1 offset:0x300 gds
        s_waitcnt lgkmcnt(0)
        exp mrt0 v2, off, off, off done vm
        s_endpgm";
    for chip in CHIPS {
        let shader = || shader(chip, Stage::Pixel, source).items(128).own(&[1, 0]);
        let outcome = shader().run().unwrap();
        let wanted = [[Some(3); 64], [Some(0); 64]].concat();
        assert_eq!(values(&outcome, "mrt0", 0), wanted, "{chip}");
    }
}

#[test]
fn missing_exports_are_reported() {
    let message = |stage, source: &str| {
        shader(Chip::Gfx900, stage, source)
            .run()
            .unwrap()
            .complaints()
    };
    let end = "s_endpgm";
    assert_eq!(
        message(Stage::Pixel, end),
        ["work-group 0, wave 0 ends without an export: it has to make one, with `done` and `vm`"]
    );
    assert_eq!(
        message(Stage::Pixel, "exp mrt0 v0, v0, v0, v0 vm\ns_endpgm"),
        ["work-group 0, wave 0 ends, and its last export lacks `done`"]
    );
    assert_eq!(
        message(Stage::Pixel, "exp null off, off, off, off done\ns_endpgm"),
        ["work-group 0, wave 0 ends, and none of its exports has `vm`"]
    );
    assert_eq!(
        message(
            Stage::Vertex,
            "exp mrt0 v0, v0, v0, v0\nexp param0 v0, v0, v0, v0\ns_endpgm"
        ),
        [
            "work-group 0, wave 0 exports to mrt0, which vs does not have",
            "work-group 0, wave 0 ends without a position: it has to export pos0, with `done`"
        ]
    );
    assert_eq!(
        message(Stage::Compute, "exp pos0 v0, v0, v0, v0 done\ns_endpgm"),
        ["work-group 0, wave 0 exports to pos0, which cs does not have"]
    );
}

#[test]
fn what_cannot_start_is_refused() {
    let end = || shader(Chip::Gfx900, Stage::Pixel, "s_endpgm");
    let refused = |shader: Shader<'_>| match shader.run() {
        Err(error @ Error::Shader { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    for (shader, words) in [
        (
            end().user_data(&[0; 103]),
            "103 SGPRs are given, and a wave has 102",
        ),
        (
            end().own(&[1, 2]),
            "s0 has 2 values of waves, of which there are 1",
        ),
        (
            end().items(3).input(&[1, 2]),
            "v0 has 2 values, and there are 3 items",
        ),
        (end().items(0), "no work-items"),
        (end().group(2000), "the most is 1024"),
        (end().lds_bytes(1 << 20), "at most 65536"),
    ] {
        let text = refused(shader);
        assert!(text.starts_with("`main` cannot run as ps: "), "{text}");
        assert!(text.contains(words), "{text}");
    }
    let module = module(Chip::Gfx900, "s_endpgm");
    let Err(error) = Shader::new(&module, Stage::Pixel, "_amdgpu_ps_main") else {
        panic!("there is no such function");
    };
    let text = "there is no function `_amdgpu_ps_main` here; there are main";
    assert_eq!(error.to_string().replace('`', ""), text.replace('`', ""));
}

#[test]
fn a_fault_names_its_place() {
    let source = "
        v_mov_b32 v0, 0
        v_mov_b32 v1, 0
        flat_load_dword v2, v[0:1]
        s_endpgm";
    let error = shader(Chip::Gfx900, Stage::Local, source)
        .run()
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("flat_load_dword v2, v[0:1]` (main+0x8"),
        "{text}"
    );
}

#[test]
fn names_are_read_back() {
    for stage in Stage::ALL {
        assert_eq!(stage.name().parse(), Ok(stage));
    }
    let wrong: Result<Stage, UnknownStage> = "xs".parse();
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .contains("ls, hs, es, gs, vs, ps and cs")
    );
    for number in (0..=9).chain(12..=15).chain(32..=63) {
        let target = ExportTarget(number);
        assert_eq!(target.to_string().parse(), Ok(target));
    }
    assert!("pos4".parse::<ExportTarget>().is_err());
}

/// What LLVM makes for a driver of graphics: the factor and the mask of primitives are the first SGPRs. Red is
/// 2 * (1 + i * 2), green the half of it, blue the factor, alpha 1.
#[test]
fn shaders_of_compilers_run() {
    let files: [(Chip, &[u8]); 2] = [
        (Chip::Gfx600, include_bytes!("data/pixel-gfx600.elf")),
        (Chip::Gfx900, include_bytes!("data/pixel-gfx900.elf")),
    ];
    for (chip, file) in files {
        let device = Device::new(chip).unwrap();
        let module = device.load_shaders(file).unwrap();
        let red = [[1.0, 3.0, 1.0], [0.0; 3], [0.0; 3], [0.0; 3]];
        let outcome = Shader::new(&module, Stage::Pixel, "_amdgpu_ps_main")
            .unwrap()
            .items(2)
            .user_data(&[2.0f32.to_bits()])
            .own(&[0])
            .input(&[0.0f32, 0.5].map(f32::to_bits))
            .input(&[0])
            .lds(&parameters(&[vec![red]]))
            .run()
            .unwrap();
        let wanted = [[2.0f32, 4.0], [1.0, 2.0], [2.0, 2.0], [1.0, 1.0]];
        for (component, wanted) in wanted.into_iter().enumerate() {
            let wanted = wanted.map(|v| Some(v.to_bits()));
            assert_eq!(values(&outcome, "mrt0", component), wanted, "{chip}");
        }
        assert_eq!(outcome.complaints(), [""; 0]);
        assert_eq!(module.kernels().count(), 0);
        let other = Device::new(Chip::Gfx803).unwrap();
        let error = other.load_shaders(file).err().unwrap().to_string();
        assert!(error.contains("gfx803"), "{error}");
        assert!(device.load(file).is_err(), "it has no kernels");
    }
}

/// Entry 1 of the table for the pixel outside of the image, which has one white texel of 8_8_8_8 unorm.
#[test]
fn samplers_take_border_colors() {
    let source = "
        image_sample_lz v[4:7], v0, s[0:7], s[8:11] dmask:0xf
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm";
    let module = module(Chip::Gfx900, source);
    let device = module.device();
    let image = device.buffer_from(&[u32::MAX]).unwrap();
    let colors: Vec<f32> = (0..8).map(|n| n as f32).collect();
    let table = device.buffer_from(&colors).unwrap();
    let words = [
        image.address() >> 8,
        image.address() >> 40 | 0xa0_0000,
        0,
        0x8000_0fac,
    ]
    .map(|w| w as u32);
    let shader = || {
        Shader::new(&module, Stage::Pixel, "main")
            .unwrap()
            .items(2)
            .user_data(&words)
            .user_data(&[0, 0, 0, 0])
            .user_data(&[6, 0, 0, 0xc000_0001])
            .input(&[-1.0f32, 0.5].map(f32::to_bits))
    };
    let outcome = shader().border_colors(table.address()).run().unwrap();
    for (component, border) in [4.0f32, 5.0, 6.0, 7.0].into_iter().enumerate() {
        let wanted = [border, 1.0].map(|v| Some(v.to_bits()));
        assert_eq!(values(&outcome, "mrt0", component), wanted);
    }
    let error = shader().run().unwrap_err().to_string();
    assert!(error.contains("nobody said where that is"), "{error}");
}
