# Kernels for Mesa's drivers before LLVM 4.0: what registers are to be set to stands in a section, in the order of the code.
.gallium
.driver_version 160002
.llvm_version 30900
.gpu Bonaire
.kernel plain               # its code is the last
    .config
        .dims x
.kernel whole
    .args
        .arg scalar, 4
        .arg global, 8, 8, 8, zext, general
        .arg contant, 8
        .arg local, 4
        .arg scalar, 2, 4, 4, sext
        .arg scalar, 12
        .arg scalar, 1
        .arg image2d_wronly, 4
        .arg image2d_rdonly, 4, , , , imgsize
        .arg sampler, 4, 4, 4, zext, imgformat
        .arg griddim
        .arg gridoffset, 4
    .config
        .dims xy
        .tgsize
        .localsize 1000
        .scratchbuffer 20
        .priority 2
        .ieeemode
        .dx10clamp
        .privmode
        .debugmode
        .exceptions 0x11
        .floatmode 0x3f
        .userdatanum 6
        .sgprsnum 30
        .vgprsnum 17
        .pgmrsrc2 0x6000
        .spilledsgprs 3
        .spilledvgprs 9
.kernel given
    .proginfo
        .entry 0xb848, 0x000c0183
        .entry 0xb84c, 0x00001788
        .entry 0xb860, 0
        .entry 4, 1
        .entry 8, 2
.globaldata
    .int 1, 2
.text
whole:
    s_endpgm
    .p2align 8
given:
    s_endpgm
    .p2align 8
plain:
    s_mov_b32 s4, 0
    v_mov_b32 v2, v0
    s_endpgm
