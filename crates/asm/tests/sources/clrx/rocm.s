# A kernel in ROCm's format: its settings, its arguments, its code.
.rocm
.gpu Fiji
.arch_minor 0
.arch_stepping 3
.newbinfmt
.md_version 1, 0
.kernel scale
    .config
        .dims x
        .default_hsa_features
        .dx10clamp
        .ieeemode
        .floatmode 0xc0
        .localsize 1024
        .kernarg_segment_align 16
        .md_language "OpenCL", 1, 2
        .cws 64
        .arg out, "uint*", 8, , globalbuf, u32, global, default
        .arg n, "uint", 4, , value, u32
        .arg , "", 8, , gox, i64
.kernel bare
    .config
        .dims xyz, x
        .use_kernarg_segment_ptr
        .sgprsnum 32
        .vgprsnum 10
        .codeversion 1, 1
        .machine 1, 8, 0, 4
        .priority 1
        .exceptions 0x7f
        .scratchbuffer 16
        .private_elem_size 4
        .reserved_vgprs 4, 7
        .call_convention 0
    .control_directive
        .fill 128, 1, 0x11
.text
scale:
    .skip 256
    s_load_dwordx2 s[0:1], s[6:7], 0
    v_mov_b32 v9, 0
    s_endpgm
.p2align 8
bare:
    .skip 256
    s_endpgm
