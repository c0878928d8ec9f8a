//! Programs for OpenCL 1.2 as AMD's Catalyst keeps them.

use wavetank_object::catalyst::{Kernel, PRODUCTS, Program, USER_CLASSES, info, note};
use wavetank_object::{ArgKind, CodeObject, UserValue, open};

/// What CLRX's documentation shows of a kernel, "CLRadeonExtender Assembler AMD Catalyst handling", but for its code: a global
/// pointer, one to LDS, and a value, with the table of buffers in s[2:3] and two constant buffers after.
const METADATA: &str = "\
;ARGSTART:__OpenCL_DCT_kernel
;version:3:1:111
;device:pitcairn
;uniqueid:1024
;memory:uavprivate:0
;memory:hwlocal:64
;memory:hwregion:0
;cws:8:8:1
;pointer:output:float:1:1:0:uav:12:4:RW:0:0
;pointer:inter:float:1:1:16:hl:1:4:RW:0:0
;value:width:u32:1:1:32
;value:step:i16:1:1:48
;value:scale:float:4:1:64
;function:1:1030
;uavid:11
;printfid:9
;cbid:10
;privateid:8
;reflection:0:float*
;reflection:1:float*
;reflection:2:uint
;ARGEND:__OpenCL_DCT_kernel
";

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn class(name: &str) -> u32 {
    let place = USER_CLASSES.iter().position(|class| *class == name);
    place.expect("a class") as u32
}

fn kernel(name: &str) -> Kernel {
    let first = info::USER_DATA;
    let (table, buffer) = (class("ptr_uav_table"), class("imm_const_buffer"));
    // As the documentation shows them: classes 0x17 and 2.
    assert_eq!((table, buffer), (0x17, 2));
    let user = [table, 0, 2, 2, buffer, 0, 4, 4, buffer, 1, 8, 4];
    let mut pairs = vec![first, 3];
    for (value, address) in user.iter().zip(first + 1..) {
        pairs.extend([address, *value]);
    }
    pairs.extend([info::VGPRS, 11, info::SGPRS, 24, info::FLOAT_MODE, 0xc0]);
    pairs.extend([info::SCRATCH, 0, info::RSRC2, 0x0040_0998]);
    Kernel {
        name: name.to_owned(),
        metadata: METADATA.replace("DCT", name).into_bytes(),
        header: vec![0; 32],
        notes: vec![(note::INPUTS, vec![]), (note::PROGRAM_INFO, words(&pairs))],
        data: vec![0; 4736],
        code: words(&[0xbf80_0000, 0xbf81_0000]),
    }
}

fn program(wide: bool) -> Program {
    Program {
        product: PRODUCTS
            .iter()
            .position(|p| p.name == "pitcairn")
            .expect("it"),
        wide,
        options: b"-O3".to_vec(),
        driver: Vec::new(),
        constants: Some(vec![1, 2, 3, 4, 5]),
        kernels: vec![kernel("DCT"), kernel("second")],
    }
}

#[test]
fn programs_are_read_as_they_are_written() {
    for wide in [false, true] {
        let program = program(wide);
        assert_eq!(Program::read(&program.write()).unwrap(), program);
    }
}

#[test]
fn kernels_begin_as_the_documentation_says() {
    for wide in [false, true] {
        let file = program(wide).write();
        let object = open(&file, None).unwrap();
        assert_eq!(object.target().chip, "gfx601");
        let kernel = object.kernel("DCT").unwrap();
        assert_eq!(kernel.descriptor.rsrc2.user_sgpr_count, 12);
        assert_eq!(kernel.descriptor.vgpr_count, 12);
        assert_eq!(kernel.descriptor.group_segment_fixed_size, 64);
        assert_eq!(kernel.reqd_workgroup_size, Some([8, 8, 1]));
        let args: Vec<_> = kernel.explicit_args().collect();
        let kinds: Vec<_> = args.iter().map(|arg| (arg.kind, arg.size)).collect();
        assert_eq!(
            kinds,
            [
                (ArgKind::GlobalBuffer, 8),
                (ArgKind::DynamicSharedPointer, 4),
                (ArgKind::ByValue, 4),
                (ArgKind::ByValue, 2),
                (ArgKind::ByValue, 16),
            ]
        );
        let start = kernel.start.as_ref().unwrap();
        assert_eq!(start.missing, None);
        let place = |first| {
            let found = start.user.iter().find(|words| words.first == first);
            found.unwrap().value
        };
        let UserValue::Buffer(arguments, size) = place(8) else {
            panic!("{:?}", place(8));
        };
        // The second argument stands 4 dwords after the first, and so on.
        let offsets: Vec<_> = args[1..].iter().map(|arg| arg.offset - arguments).collect();
        assert_eq!((offsets, size), (vec![16, 32, 48, 64], 80));
        let UserValue::Address(table) = place(2) else {
            panic!("{:?}", place(2));
        };
        // Buffer 12, of 8 dwords each; the constants are buffer 10.
        assert_eq!(args[0].offset - table, 12 * 32);
        assert_eq!(start.addresses, [(table + 10 * 32, 0)]);
        let block = vec![0; kernel.kernarg_segment_size as usize];
        let sgprs = start.user_sgprs(&block, 0x12_3456_7000);
        assert_eq!(sgprs[2..4], [0x3456_7000 + table, 0x12]);
        assert_eq!(sgprs[8..11], [0x3456_7000 + arguments, 0x12, 80]);
        let image = object.load_image(0x10000).unwrap();
        let at = (kernel.entry - image.origin) as usize;
        assert_eq!(image.bytes[at..at + 8], words(&[0xbf80_0000, 0xbf81_0000]));
    }
}

#[test]
fn what_is_not_there_is_named() {
    let missing = |from: &str, to: &str| {
        let mut program = program(true);
        program.kernels.truncate(1);
        let text = METADATA.replace(from, to);
        program.kernels[0].metadata = text.into_bytes();
        let object = CodeObject::parse(&program.write());
        let object = object.map_err(|error| error.to_string())?;
        Ok(object.kernels()[0].start.clone().unwrap().missing)
    };
    let sentence = |text: Result<Option<String>, String>| text.unwrap().unwrap();
    let image = ";image:picture:2D:RO:0:1:32";
    let value = ";value:width:u32:1:1:32";
    assert_eq!(sentence(missing(value, image)), "the image `picture`");
    assert!(sentence(missing(":uav:12", ":hc:2")).contains("the memory `hc`"));
    for (from, to) in [
        (value, ";value:width:u32:1"),
        (value, ";value:width:thing:1:1:32"),
        (":uav:12", ":uav:4000"),
        (":1:1:0:", ":1:1:9999999:"),
    ] {
        let error: Result<Option<String>, String> = missing(from, to);
        let error = error.unwrap_err();
        assert!(error.contains("is none of Catalyst's"), "{error}");
    }
}

/// Whatever the bytes are, nothing panics.
#[test]
fn damaged_programs_are_refused_or_read() {
    for wide in [false, true] {
        let file = program(wide).write();
        for end in (0..file.len()).step_by(7) {
            let _ = CodeObject::parse(&file[..end]);
        }
        let mut seed = 1u32;
        for _ in 0..3000 {
            let mut bytes = file.clone();
            for _ in 0..3 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (seed >> 8) as usize % bytes.len();
                bytes[at] = seed as u8;
            }
            if let Ok(object) = CodeObject::parse(&bytes) {
                let _ = object.load_image(0x10000);
            }
        }
    }
}
