// Sections: flags, kinds, stacks, distances between them.
	s_nop 0
	.section .rodata,"a",@progbits
	.p2align 3
table:
	.quad 1, 2
	.section .rodata.cst8,"aM",@progbits,8
	.quad 3
	.section .rodata.str,"aMS",@progbits,1
	.asciz "text"
	.data
	.quad table
	.previous
	.asciz "more"
	.pushsection .text
	s_nop 1
	.popsection
	.byte 1
	.text
	.subsection 1
	s_nop 3
	.subsection 0
	s_nop 2
	.bss
	.zero 20
	.p2align 6
	.skip 4
	.section .text.f,"ax",@progbits
f:	s_endpgm
	.section ".note.GNU-stack","",@progbits
	.section .debug_abbrev,"",@progbits
	.uleb128 end-begin
begin:
	.fill 130
	.sleb128 begin-end
end:
	.uleb128 300
	.section .init_array,"aw"
	.quad f
; The name of a section stands for its beginning.
.section .named, "a"
.quad 7
.quad .named + 4
.quad .data
// Groups, of which a linker takes one each.
	.section .text.once,"axG",@progbits,once,comdat
	.weak once
once:	s_setpc_b64 s[30:31]
	.section .rodata.once,"aG",@progbits,once,comdat
	.quad once
	.section .text.other,"axG",@progbits,named,comdat
	s_nop 5
	.section .numbered,"2",@progbits
	.byte 1
	.section .lists,"",@llvm_odrtab
	.byte 1
	.pushsection .numbered, 2
	.byte 3
	.popsection
	.pushsection .numbered, 1, "2"
	.byte 2
	.popsection
	.ident "one"
	.section .comment,"MS",@progbits,1
	.asciz "between"
	.ident "two"
