# Registers by other names, and scopes.
.gpu gfx900
.rawcode
pool = %v[16:31]
pair = %s[0:1]
last = %pool[15]
mask = %vcc
n = 3
    s_and_b64 pair, s[2:3], mask
    s_cmp_lt_i32 pair[0], s2
    v_xor_b32 pool[4], pool[n+4], pool[3*n]
    v_mov_b32 last, pair[1]
    global_load_dwordx2 pool[0:1], pool[n], pair
    flat_load_dword last, pool[n:n+1]
pair = %s[8:9]
    s_mov_b64 pair, 0

.scope outer
    a = 4
    b = 11
    .byte a
    .scope inner
        a = 5
        .byte a, b
    .ends
    .scope
        a = 8
        .byte a
    .ends
    .byte a, inner::a
    reg = %v7
.endscope
.byte outer::a, outer::inner::a
::outer::a = 6
.byte outer::a
    v_mov_b32 outer::reg, ::outer::reg
.scope other
    b = 6
    c = 15
.ends
.using outer
.byte b
.scope third
    .using other
    .byte b, c
    .using outer
    .byte b, c
    .unusing
.ends
.unusing outer
.align 4, 0
.scope code
loop:
    s_sub_u32 s0, s0, 1
    s_cbranch_scc0 loop
    s_cbranch_vccz done     # one of this scope, which comes later
    s_branch finish         # one of the scope around
done:
    s_nop 0
.ends
loop:
    s_branch loop
finish:
    s_branch code::loop
