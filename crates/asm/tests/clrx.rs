//! Sources in CLRX's dialect, held to the same in LLVM's: a pair of files each.

use wavetank_asm::{Assembly, Container, Options, assemble_object, assemble_whole};
use wavetank_gcn::{Chip, Dialect};
use wavetank_link::Relocatable;
use wavetank_link::elf::STT_AMDGPU_HSA_KERNEL;
use wavetank_object::catalyst::{Kernel, PRODUCTS, Program};

fn assembly(name: &str, chip: Chip) -> Assembly {
    assembly_in(name, chip, Dialect::Clrx)
}

fn object(name: &str, chip: Chip, dialect: Dialect) -> Relocatable {
    assembly_in(name, chip, dialect).object
}

fn assembly_in(name: &str, chip: Chip, dialect: Dialect) -> Assembly {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources/clrx");
    let source = std::fs::read_to_string(format!("{folder}/{name}")).expect("a source");
    let options = Options {
        dialect,
        version: 4,
        ..Options::new(chip)
    };
    let made = assemble_whole(name, &source, &options);
    made.unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

/// Compares the bytes of all sections of a pair.
fn compare(name: &str, chip: Chip) {
    let clrx = object(&format!("{name}.s"), chip, Dialect::Clrx);
    let llvm = object(&format!("{name}.llvm.s"), chip, Dialect::Llvm);
    let sections = |object: &Relocatable| {
        let sections = object.sections.iter().filter(|s| s.size > 0);
        sections
            .map(|s| (s.name.clone(), s.bytes.clone()))
            .collect::<Vec<_>>()
    };
    for (ours, theirs) in sections(&clrx).iter().zip(&sections(&llvm)) {
        assert_eq!(ours.0, theirs.0);
        for (at, (a, b)) in ours.1.chunks(4).zip(theirs.1.chunks(4)).enumerate() {
            assert_eq!(a, b, "{name}.s, {} at byte {}", ours.0, at * 4);
        }
    }
    assert_eq!(sections(&clrx), sections(&llvm), "{name}.s");
}

fn section<'o>(object: &'o Relocatable, name: &str) -> &'o [u8] {
    let section = object.sections.iter().find(|s| s.name == name);
    &section.expect("a section").bytes
}

/// Compares the code of a pair, but for control directives, which LLVM's assembler has no words for.
fn compare_text(name: &str, chip: Chip) {
    let clrx = object(&format!("{name}.s"), chip, Dialect::Clrx);
    let llvm = object(&format!("{name}.llvm.s"), chip, Dialect::Llvm);
    let texts = [section(&clrx, ".text"), section(&llvm, ".text")];
    for (at, (a, b)) in texts[0].chunks(4).zip(texts[1].chunks(4)).enumerate() {
        assert!(
            a == b || a == [0x11; 4],
            "{name}.s at byte {}: {a:?}, not {b:?}",
            at * 4
        );
    }
    assert_eq!(texts[0].len(), texts[1].len());
}

#[test]
fn syntax_and_data() {
    compare("syntax", Chip::Gfx803);
}

#[test]
fn registers_and_scopes() {
    compare("names", Chip::Gfx900);
}

#[test]
fn conditions_repetitions_and_macros() {
    compare("repeat", Chip::Gfx802);
}

#[test]
fn kernels_of_rocm() {
    compare_text("rocm", Chip::Gfx803);
    let object = object("rocm.s", Chip::Gfx803, Dialect::Clrx);
    let text = section(&object, ".text");
    // The second kernel's control directives.
    assert_eq!(text[512 + 128..512 + 256], [0x11; 128]);
    for name in ["scale", "bare"] {
        let symbol = object.symbols.iter().find(|s| s.name == name);
        assert_eq!(symbol.map(|s| s.kind), Some(STT_AMDGPU_HSA_KERNEL));
    }
    let notes = section(&object, ".note");
    let notes = String::from_utf8_lossy(notes);
    for line in [
        "Name: 'scale'",
        "SymbolName: 'scale@kd'",
        "Language: 'OpenCL'",
        "ReqdWorkGroupSize: [ 64, 1, 1 ]",
        "ValueKind: HiddenGlobalOffsetX",
        "KernargSegmentSize: 24",
        "GroupSegmentFixedSize: 1024",
    ] {
        assert!(notes.contains(line), "{line}: {notes}");
    }
}

#[test]
fn kernels_of_opencl() {
    compare_text("amdcl2", Chip::Gfx803);
    let object = object("amdcl2.s", Chip::Gfx803, Dialect::Clrx);
    assert_eq!(section(&object, ".rodata"), [1, 2, 3, 4]);
    let notes = String::from_utf8_lossy(section(&object, ".note")).into_owned();
    for line in [
        "ValueKind: HiddenGlobalOffsetX",
        "TypeName: 'float*'",
        "ValueKind: DynamicSharedPointer",
        "IsConst: true",
    ] {
        assert!(notes.contains(line), "{line}: {notes}");
    }
}

/// Registers that drivers before LLVM 4.0 set, and the list of the program.
#[test]
fn kernels_of_clover() {
    compare("gallium", Chip::Gfx704);
    let assembly = assembly("gallium.s", Chip::Gfx704);
    let Some(Container::Clover { kernels, mesa }) = assembly.container else {
        panic!("there is no program");
    };
    assert_eq!(mesa, 160_002);
    let listed = kernels.iter().map(|k| (k.name.as_str(), k.offset));
    let listed: Vec<_> = listed.collect();
    // In the order of the code.
    assert_eq!(listed, [("whole", 0), ("given", 256), ("plain", 512)]);
    let args = kernels[0].args.iter().map(|arg| {
        let sizes = [arg.size, arg.target_size, arg.align];
        (arg.kind, sizes, arg.signed, arg.meaning)
    });
    let args: Vec<_> = args.collect();
    assert_eq!(
        args,
        [
            (0, [4, 4, 4], false, 0),
            (2, [8, 8, 8], false, 0),
            (1, [8, 8, 8], false, 0),
            (3, [4, 4, 4], false, 0),
            (0, [2, 4, 4], true, 0),
            (0, [12, 12, 16], false, 0),
            (0, [1, 4, 1], false, 0),
            (5, [4, 4, 4], false, 0),
            (4, [4, 4, 4], false, 3),
            (8, [4, 4, 4], false, 4),
            (0, [4, 4, 4], false, 1),
            (0, [4, 4, 4], false, 2),
        ]
    );
}

/// From LLVM 4.0 on the settings stand before the code as well, and some of them only there.
#[test]
fn kernels_of_newer_clover() {
    compare_text("gallium-hsa", Chip::Gfx803);
    let [clrx, llvm] = [
        object("gallium-hsa.s", Chip::Gfx803, Dialect::Clrx),
        object("gallium-hsa.llvm.s", Chip::Gfx803, Dialect::Llvm),
    ];
    let registers = |object| section(object, ".AMDGPU.config").to_vec();
    assert_eq!(registers(&clrx), registers(&llvm));
    assert_eq!(section(&clrx, ".text")[128..256], [0x11; 128]);
}

fn catalyst(source: &str, chip: Chip) -> Program {
    let options = Options {
        dialect: Dialect::Clrx,
        ..Options::new(chip)
    };
    let made = assemble_whole("a.s", source, &options);
    match made.unwrap_or_else(|errors| panic!("{errors}")).container {
        Some(Container::Catalyst(program)) => *program,
        other => panic!("there is no program: {other:?}"),
    }
}

/// Lines and numbers as CLRX's documentation shows them, "CLRadeonExtender Assembler AMD Catalyst handling".
#[test]
fn kernels_of_catalyst() {
    let source = "\
        .amd; .gpu Pitcairn; .32bit
        .kernel mix
            .config
            .dims xy
            .vgprsnum 11; .sgprsnum 24
            .arg out,float*,global
            .arg from, \"number*\", float*, global, const restrict
            .arg table, float4 *, constant, , 4096, 20
            .arg inter,float*,local
            .arg width,uint
            .arg point,ushort3
            .arg box,structure,20
            .arg spare,int*,global,,,unused
            .cws 8, 8, 1
            .userdata PTR_UAV_TABLE,0,2,2
            .userdata IMM_CONST_BUFFER,0,4,4
            .userdata IMM_CONST_BUFFER,1,8,4
        .text
            s_endpgm
        .kernel other
            .config; .dims x; .hwlocal 300; .scratchbuffer 6; .uavid 30; .arg p, uint*, global; .useconstdata
        .globaldata
            .int 1, 2
        .kernel other
        .text
            s_mov_b32 s3, 0
            s_endpgm";
    let program = catalyst(&source.replace(",,,unused", ", , unused"), Chip::Gfx601);
    let [mix, other] = &program.kernels[..] else {
        panic!("two kernels");
    };
    assert_eq!(PRODUCTS[program.product].name, "pitcairn");
    assert_eq!(
        program.constants.as_deref(),
        Some(&[1, 0, 0, 0, 2, 0, 0, 0][..])
    );
    assert_eq!((mix.code.len(), other.code.len()), (4, 8));
    let text = String::from_utf8_lossy(&mix.metadata);
    let lines: Vec<&str> = text.lines().collect();
    let expected = "\
;ARGSTART:__OpenCL_mix_kernel
;version:3:1:111
;device:pitcairn
;uniqueid:1024
;memory:uavprivate:32
;memory:hwlocal:0
;memory:hwregion:0
;cws:8:8:1
;pointer:out:float:1:1:0:uav:12:4:RW:0:0
;pointer:from:float:1:1:16:uav:13:4:RO:0:1
;constarg:1:from
;pointer:table:float:1:1:32:c:20:16:RO:0:0
;pointer:inter:float:1:1:48:hl:1:4:RW:0:0
;value:width:u32:1:1:64
;value:point:u16:3:1:80
;value:box:struct:20:1:96
;pointer:spare:i32:1:1:128:uav:11:4:RW:0:0
;memory:datareqd
;function:1:1024
;uavid:11
;printfid:9
;cbid:10
;privateid:8
;reflection:0:float*
;reflection:1:number*
;reflection:2:float4 *
;reflection:3:float*
;reflection:4:uint
;reflection:5:ushort3
;reflection:6:structure
;reflection:7:int*
;ARGEND:__OpenCL_mix_kernel";
    assert_eq!(lines, expected.lines().collect::<Vec<_>>());
    let pairs = |kernel: &Kernel| -> Vec<[u32; 2]> {
        let (_, bytes) = kernel.notes.iter().find(|n| n.0 == 1).expect("the note");
        let words = bytes
            .chunks(4)
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        let words: Vec<u32> = words.collect();
        words.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
    };
    let all = pairs(mix);
    let user = [3, 0x17, 0, 2, 2, 2, 0, 4, 4, 2, 1, 8, 4];
    let user = user.iter().zip(0x8000_1000..).map(|(v, a)| [a, *v]);
    let used = 1 << 12 | 1 << 13 | 1 << 20;
    let rest = [
        [0x8000_1041, 11],
        [0x8000_1042, 24],
        [0x8000_1863, 0x66],
        [0x8000_1864, 0x100],
        [0x8000_1043, 0xc0],
        [0x8000_1044, 0],
        [0x8000_1045, 0],
        [0x2e13, 0x0040_0998],
        [0x8000_001c, 8],
        [0x8000_001d, 8],
        [0x8000_001e, 1],
        [0x8000_1841, 0],
        [0x8000_001f, used],
        [0x8000_1843, used],
    ];
    let ends = [
        [0x8000_000a, 1],
        [0x8000_0078, 0x40],
        [0x8000_0081, 0x8000],
        [0x8000_0082, 0x8000],
    ];
    let zeros = (0x8000_1844..=0x8000_1862).map(|address| [address, 0]);
    let expected: Vec<_> = user.chain(rest).chain(zeros).chain(ends).collect();
    assert_eq!(all, expected);
    let value = |of: u32| pairs(other).iter().find(|p| p[0] == of).map(|p| p[1]);
    // s0 and s1 are the user's where nothing is said; 300 bytes are 2 blocks of 256; 6 bytes are 2 dwords.
    assert_eq!(value(0x2e13), Some(1 | 2 << 1 | 1 << 7 | 2 << 15));
    assert_eq!((value(0x8000_1045), value(0x8000_1042)), (Some(2), Some(4)));
    assert_eq!(value(0x8000_001f), Some(1 << 31 | 1 << 10));
    let text = String::from_utf8_lossy(&other.metadata);
    for line in [
        ";uniqueid:1025",
        ";memory:uavprivate:6",
        ";memory:hwlocal:300",
        "uav:31:4",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// What CLRX's disassembler writes of a kernel: its text, its notes by their names, and its header.
fn by_notes(kernel: &Kernel) -> String {
    let words = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.chunks(4);
        words
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
            .collect()
    };
    let entries = |name: &str, many: usize, bytes: &[u8]| -> String {
        let rows = words(bytes);
        let rows = rows.chunks(many).map(|row| {
            let row: Vec<String> = row.iter().map(|word| format!("{word:#010x}")).collect();
            format!("        {name} {}\n", row.join(", "))
        });
        rows.collect()
    };
    let mut out = format!(".kernel {}\n    .header\n", kernel.name);
    out += &entries(".int", 4, &kernel.header);
    out += "    .metadata\n";
    for line in String::from_utf8_lossy(&kernel.metadata).lines() {
        out += &format!("        .ascii \"{line}\\n\"\n");
    }
    out += "    .data\n        .fill 4736, 1, 0x00\n";
    for (kind, bytes) in &kernel.notes {
        out += &match kind {
            1 => format!("    .proginfo\n{}", entries(".entry", 2, bytes)),
            2 => format!("    .inputs\n{}", entries(".int", 1, bytes)),
            3 => "    .outputs\n".to_owned(),
            4 => format!("    .condout {}\n", words(bytes)[0]),
            5 => "    .floatconsts\n".to_owned(),
            6 => "    .intconsts\n".to_owned(),
            7 => "    .boolconsts\n".to_owned(),
            8 => format!("    .earlyexit {}\n", words(bytes)[0]),
            9 => "    .globalbuffers\n".to_owned(),
            10 => format!("    .constantbuffers\n{}", entries(".cbmask", 2, bytes)),
            11 => format!("    .inputsamplers\n{}", entries(".sampler", 2, bytes)),
            13 => format!("    .scratchbuffers\n{}", entries(".int", 1, bytes)),
            16 => format!("    .uav\n{}", entries(".entry", 4, bytes)),
            other => format!("    .calnote {other}\n{}", entries(".int", 1, bytes)),
        };
    }
    let code = entries(".int", 1, &kernel.code);
    format!("{out}    .text\n{code}")
}

#[test]
fn kernels_of_catalyst_by_their_notes() {
    let config = "\
        .amd; .gpu Tonga
        .kernel mix
            .config; .dims xyz; .tgsize; .sampler 3, 5; .earlyexit 1; .condout 2; .useprintf
            .arg picture, image2d, read_only
            .arg where, sampler
            .arg out, \"float4*\", float4*, global
            .arg k, char
            .userdata ptr_uav_table, 0, 2, 2
        .text
            s_endpgm
        .kernel second
            .config; .dims x; .localsize 64; .arg p, ulong*, global
        .text
            v_mov_b32 v7, v0
            s_endpgm";
    let program = catalyst(config, Chip::Gfx802);
    let kernels: String = program.kernels.iter().map(by_notes).collect();
    let source = format!(".amd\n.gpu Tonga\n{kernels}");
    let again = catalyst(&source, Chip::Gfx802);
    for (by_notes, by_config) in again.kernels.iter().zip(&program.kernels) {
        assert_eq!(by_notes.metadata, by_config.metadata);
        assert_eq!(by_notes.notes, by_config.notes);
    }
    assert_eq!(again, program);
}

/// Names in a wrong line are no symbols that others could mean.
#[test]
fn a_wrong_line_spoils_no_other() {
    let source = "v_foo v0, vcc, s0, slc\nv_cmp_gt_u32 vcc, s3, v0\nbuffer_load_dword v1, v2, s[4:7], 0 offen slc";
    for dialect in [Dialect::Clrx, Dialect::Llvm] {
        let options = Options {
            dialect,
            ..Options::new(Chip::Gfx803)
        };
        let errors = assemble_object("a.s", source, &options).unwrap_err().0;
        let lines: Vec<_> = errors.iter().map(|error| error.number).collect();
        assert_eq!(lines, [1], "{dialect:?}");
    }
}

#[test]
fn what_is_wrong_is_a_sentence() {
    for (source, sentence) in [
        (".dims x", "no `.kernel` stands before `.dims`"),
        (
            ".rocm\n.kernel k\n.dims x",
            "`.dims` stands in the `.config` of a kernel",
        ),
        (
            ".rocm\n.kernel k\n.config\n.dims w",
            "there should be dimensions",
        ),
        (".rocm\n.kernel k\n.config\n.text", "there is no label `k`"),
        (
            ".rocm\n.kernel k\n.config\n.text\nk: s_endpgm",
            "`.skip 256` has to follow",
        ),
        (
            ".rocm\n.kernel k\n.config\n.floatmode 256",
            "has 8 bits, too few for 256",
        ),
        (
            ".rocm\n.kernel k\n.config\n.vgprsnum 300\n.text\nk: .skip 256",
            "256 VGPRs at most",
        ),
        (
            ".rocm\n.kernel k\n.config\n.arg a, 4, , thing, u32",
            "`thing` is not a kind",
        ),
        (
            ".amdcl2\n.kernel k\n.config\n.arg a, thing",
            "`thing` is not a type of OpenCL",
        ),
        (
            ".gallium\n.kernel k\n.config\n.dims x",
            "there is no label `k`",
        ),
        (
            ".gallium\n.kernel k\n.args\n.arg thing, 4",
            "`thing` is not a kind of arguments",
        ),
        (
            ".gallium\n.kernel k\n.args\n.arg scalar, 4, 4, 4, wide",
            "`wide` is none of zext, sext",
        ),
        (
            ".gallium\n.kernel k\n.args\n.arg scalar, 0",
            "a number of bytes from 1 on",
        ),
        (
            ".gallium\n.arg scalar, 4",
            "no `.kernel` stands before `.arg`",
        ),
        (
            ".gallium\n.kernel k\n.entry 1, 2",
            "`.entry` follows `.proginfo`",
        ),
        (
            ".gallium\n.kernel k\n.proginfo\n.entry 1, 2\n.text\nk: s_endpgm",
            "has 1 entries, not 3",
        ),
        (
            ".gallium\n.kernel k\n.proginfo\n.config\n.dims x\n.text\nk: s_endpgm",
            "has `.config` and `.proginfo`",
        ),
        (
            ".gallium\n.llvm_version 30900\n.kernel k\n.config\n.use_dispatch_ptr\n.text\nk: s_endpgm",
            "say `.llvm_version 40000`",
        ),
        (
            ".gallium\n.llvm_version 40000\n.kernel k\n.config\n.dims x\n.text\nk: s_endpgm",
            "`.skip 256` has to follow",
        ),
        (
            ".gallium\n.kernel k\n.config\n.dims x\n.text\ns_nop 0\nk: s_endpgm",
            "say `.p2align 8`",
        ),
        (
            ".gallium\n.kernel k\n.config\n.dims x\n.globaldata\nk: .int 0",
            "in another section than `.text`",
        ),
        (
            ".gallium\n.scratchsym s",
            "leaves addresses to Mesa's driver",
        ),
        (
            ".kernel k\n.config\n.dims x\n.text\ns_endpgm",
            "no programs of OpenCL 1.2, which is CLRX's format where nothing is said, for gfx900",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.dims x",
            "say `.text` after `k`",
        ),
        (
            ".gpu Fiji\n.kernel k\n.text\ns_endpgm",
            "`k` has no `.config`",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.inputs\n.header\n.fill 32\n.metadata\n.int 1\n.text\ns_endpgm",
            "has `.config` and notes",
        ),
        (
            ".gpu Fiji\n.kernel k\n.proginfo\n.entry 1, 2\n.text\ns_endpgm",
            "needs `.metadata`, and 32 bytes of `.header`",
        ),
        (
            ".gpu Fiji\n.kernel k\n.entry 1, 2",
            "no note stands before this",
        ),
        (
            ".gpu Fiji\n.driver_version 112402\n.kernel k\n.config\n.text\ns_endpgm",
            "for drivers from 1348.5 on",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.arg a, half",
            "`half` is not a type of OpenCL",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.arg a, int*, private",
            "is none of local, constant, global",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.arg a, int*, global, , 12\n.arg b, int*, global, , 12\n.text\ns_endpgm",
            "the number 12 of `a` is used twice",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.arg a, int*, global, , 2000",
            "is not a number of a resource",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.arg a, image2d, read_write",
            "is neither read_only nor write_only",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.uavid 1024",
            "1024 is more than 1023",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.userdata ptr, 0, 2, 2",
            "is not a class of user data",
        ),
        (
            ".gpu Fiji\n.kernel k\n.config\n.userdata imm_uav, 0, 14, 4",
            "user data have s0 to s15",
        ),
        (
            ".gpu Fiji\n.globaldata\nt: .int 1\n.kernel k\n.config\n.text\ns_mov_b32 s0, t",
            "by a buffer (`.useconstdata`)",
        ),
        (".gpu gfx1030", "is not a chip of these"),
        (".arch GCN3", "is none of GCN1.0"),
        (".format elf", "is none of amd"),
        (".ends", "no `.scope` stands before"),
        (".kcodeend", "no `.kcode` stands before"),
        (".kcode k", "there is no kernel `k`"),
        (".regvar a:v:4", "name = %v[0:3]"),
        ("a = %v[1:2]\ns_nop a[2]", "has no such registers"),
        ("a = %v[300]", "has no such registers"),
        (".while 1\n.endr", "this does not end"),
        (".for i = 0, i < 3\n.endr", "there should be a comma"),
        (".for i = 0, i / 0, i\n.endr", "this divides by zero"),
        (".if 1\n.else\n.elseif32\n.endif", "`.else` stands before"),
        (".half 1e9", "is not a float of 16 bits"),
        (".int 1 ? 2", "there should be `:`"),
        (".fail 3", "it fails: 3"),
        (".offset 4", "the absolute section"),
        (
            "a::b = 1\n.undef a::b\ns_nop a::b",
            "there is no symbol `a::b`",
        ),
        (".eqv a, b\nb = a\n.int a", "depends on itself"),
    ] {
        let options = Options {
            dialect: Dialect::Clrx,
            ..Options::new(Chip::Gfx900)
        };
        let error = assemble_object("a.s", source, &options)
            .unwrap_err()
            .to_string();
        assert!(error.contains(sentence), "{source}: {error}");
    }
}
