// Symbols at the places of others: types, sizes, and the names in relocations.
        .text
        .globl f
        .type f,@function
f:      s_endpgm
.Lend:
        .size f, .Lend-f
        .set g, f
        .globl g
        .set h, f+4
        .set i, g
        .type j,@object
        .set j, f
        .weak k
k = f
l:      s_nop 0
        .size l, 4
        .type l,@function
m = l
        .globl n
n = l
        .size o, 8
o = l
p = .
        .data
        .quad f, g, g+4, h, i, k, l, m, n, o, p
        .long g@rel32@lo
