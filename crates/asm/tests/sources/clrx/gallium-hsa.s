# A kernel for Mesa's drivers from LLVM 4.0 on, with settings that differ before the code.
.gallium
.gpu Fiji
.kernel scale
    .args
        .arg global, 8
        .arg scalar, 4
        .arg griddim
        .arg gridoffset
    .config
        .dims x
        .dx10clamp
        .ieeemode
        .default_hsa_features
        .localsize 512
        .vgprsnum 8
        .kernarg_segment_align 32
        .hsa_dims xyz, xy
        .hsa_vgprsnum 12
        .hsa_localsize 1024
        .hsa_priority 1
        .hsa_floatmode 0x0f
        .hsa_pgmrsrc2 0x2000
    .control_directive
        .fill 32, 4, 0x11111111
.text
scale:
    .skip 256
    s_mov_b32 s30, 0
    s_endpgm
