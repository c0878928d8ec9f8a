; llc-14 -O2 -mtriple=amdgcn--amdpal -mcpu=gfx900 -filetype=obj pixel.ll -o pixel.o && ld.lld-15 -s -shared pixel.o -o
; pixel-gfx900.elf; with -mcpu=tahiti pixel-gfx600.elf.
declare float @llvm.amdgcn.interp.p1(float, i32 immarg, i32 immarg, i32)
declare float @llvm.amdgcn.interp.p2(float, float, i32 immarg, i32 immarg, i32)
declare void @llvm.amdgcn.exp.f32(i32 immarg, i32 immarg, float, float, float, float, i1 immarg, i1 immarg)
define amdgpu_ps void @_amdgpu_ps_main(float inreg %k, i32 inreg %prim, <2 x float> %ij) {
  %i = extractelement <2 x float> %ij, i32 0
  %j = extractelement <2 x float> %ij, i32 1
  %a = call float @llvm.amdgcn.interp.p1(float %i, i32 0, i32 0, i32 %prim)
  %b = call float @llvm.amdgcn.interp.p2(float %a, float %j, i32 0, i32 0, i32 %prim)
  %c = fmul float %b, %k
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %c, float %b, float %k, float 1.0, i1 true, i1 true)
  ret void
}
