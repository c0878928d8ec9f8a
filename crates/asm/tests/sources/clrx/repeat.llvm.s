.byte 1, 5, 7, 9
.byte 2, 4, 1, 11
.byte 1, 2, 4, 8
.byte 3, 3, 3, 2, 2, 1
v_mov_b32 v4, 0
v_mov_b32 v5, 0
v_mov_b32 v6, 0
v_mov_b32 v7, 0
v_mov_b32 v8, 0
.byte 3, 3, 4
.byte 10, 5
.byte 4, 6
.ascii "a b-3"
.byte 0
.byte 12
.byte 15
.asciz "45, x>y"
.byte 0
.asciz "one ' two, 4"
.byte 0
