// Numbers, texts, room and alignment.
.long 1==1, 2<1, 1<2, !0, !5, ~0, 1&&2, 0||3, -8/3, -8%3, 7|2+1, 1+2*3, 1<>2, 'a', '\n', 0b101, 017, 2-1-1, 1<<3+1, 5!2
.quad 0xffffffffffffffff, -1, 0x8000000000000000
.quad -8>>1
.byte 255, -128, -1
.short 65535
.octa 0x112233445566778899aabbccddeeff
.float 1.5, -2, 1e3, nan, inf
.double 1.5
.set a, 1+b
.set b, 4
.long a
.uleb128 300
.sleb128 -2
.fill 3, 2, 0x1234
.fill 2
.zero 3
.skip 2, 9
.ascii "a" "b", "c"
.asciz "x","y"
.p2align 4,,3
.p2align 3, 0x55
.align 8
.balign 16, 1
.org .+4
.org 0x200, 7
.byte 1
.dcb.b 3, 7
.dcb.s 2, 1.5
.dcb.d 2, -2.5
.ds.p 1
.ds.x 2
// Room up to places that come later.
.data
.zero later_end-later, 3
.p2align 3
.fill later_end-later, 2, 0x1234
.skip (later_end-later)/2
.quad .-later
later:	.long 5, 6, 7
later_end:
	.uleb128 later_end-later
	.org .+6, 9
.float 0x1.8p3, -0X.8p-1
.double 0x1.921fb54442d18p1
"a label": .byte 1
	.byte .-"a label"
