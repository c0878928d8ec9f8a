// Assignments with symbols that come later, in every operator.
        .text
count = lines * per_line + 1
half = (end - start) >> 1
pages = (end - start + 15) / 16
less = lines < per_line
both = -(lines | ~per_line & 0xff)
nested = count * 2 + half
        .long count, nested
        .long half
start:
        s_nop 0
        .p2align 6
        .long count, less, both, pages
        .quad nested - start + end
end:
lines = 5
per_line = 7
        s_mov_b32 s3, count
        .short nested
