# A kernel in the format of AMD Catalyst's OpenCL 2.0, as its driver would start it.
.amdcl2
.64bit
.driver_version 200406
.compile_options "-O"
SMUL = 1
.ifarch GCN1.2
    SMUL = 4
.endif
.globaldata
table:
    .byte 1, 2, 3, 4
.kernel add
    .config
        .dims x
        .useargs
        .usesetup
        .setupargs
        .arg n, uint
        .arg a, "float*", float*, global, const
        .arg tmp, float4 *, local
        .arg pos, int3
        .arg s, structure, 24
        .arg out, uint*, global
    .text
    s_load_dwordx2 s[0:1], s[6:7], 28*SMUL
    s_load_dword s4, s[4:5], 1*SMUL
    s_waitcnt lgkmcnt(0)
    v_add_u32 v0, vcc, s0, v0
    s_cbranch_execz end
    s_nop 1
end:
    s_endpgm
.kernel generic
    .config
        .dims xy
        .useargs
        .usegeneric
        .setupargs
        .arg out, uint*, global
        .localsize 400
        .scratchbuffer 180
    .text
    s_endpgm
