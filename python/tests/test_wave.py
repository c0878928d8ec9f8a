"""Waves that are stepped."""

import gc

import numpy as np
import pytest

import wavetank as wt


def test_a_wave_is_stepped():
    source = """
    loop:
        v_add_u32 v1, v1, v0
        s_sub_u32 s0, s0, 1
        s_cmp_lg_u32 s0, 0
        s_cbranch_scc1 loop
        s_endpgm
    """
    wave = wt.Wave(wt.Device("gfx906"), source)
    wave.vgpr(0)[:] = np.arange(64)
    wave.set_sgpr(0, 3)
    assert wave.next.startswith("v_add_u32") and wave.pc == 0
    assert wave.step() and wave.pc == 4
    assert wave.run(until=16) == 11
    np.testing.assert_array_equal(wave.vgpr(1), 3 * np.arange(64))
    assert (wave.sgpr(0), wave.scc, wave.next, wave.ended) == (0, 0, "s_endpgm", False)
    assert not wave.step() and wave.ended
    assert wave.run() == 0


def test_run_ends_by_a_function_or_a_number():
    wave = wt.Wave(wt.Device("gfx906"), "loop:\n s_add_u32 s0, s0, 1\n s_branch loop")
    wave.run(until=lambda wave: wave.sgpr(0) == 5)
    assert wave.sgpr(0) == 5
    assert wave.run(most=10) == 10
    with pytest.raises(ZeroDivisionError):
        wave.run(until=lambda wave: 1 / 0)
    with pytest.raises(wt.ArgumentError):
        wave.run(until="end")


def test_the_state_can_be_set():
    source = "v_mov_b32 v0, 1\ns_mov_b64 s[0:1], vcc\ns_mov_b32 s2, m0\ns_addc_u32 s3, s3, s3\ns_endpgm"
    wave = wt.Wave(wt.Device("gfx906"), source)
    wave.exec, wave.vcc, wave.m0, wave.scc = 0x5, 2**40 + 1, 9, True
    wave.run()
    assert wave.vgpr(0).tolist()[:4] == [1, 0, 1, 0]
    assert (wave.sgpr(0), wave.sgpr(1), wave.sgpr(2), wave.sgpr(3)) == (1, 256, 9, 1)
    assert wave.exec == 5
    wave.pc = 0
    assert wave.pc == 0
    # Round toward zero for single precision (Vega ISA, 3.5): 1 + 2**-24 rounds to 1 or, upward, to the next number.
    wave = wt.Wave(wt.Device("gfx906"), "v_add_f32 v0, v1, v2\ns_endpgm")
    wave.vgpr(1)[:] = np.float32(1).view(np.uint32)
    wave.vgpr(2)[:] = np.float32(2**-24).view(np.uint32)
    wave.mode = wave.mode & ~0xF | 0b0101
    wave.step()
    assert wave.vgpr(0).view(np.float32)[0] == np.nextafter(np.float32(1), np.float32(2))


def test_memory_and_lds():
    gpu = wt.Device("gfx906")
    array = gpu.array(np.arange(64, dtype=np.uint32))
    source = """
        global_load_dword v1, v0, s[0:1]
        s_waitcnt vmcnt(0)
        ds_write_b32 v0, v1
        s_endpgm
    """
    wave = wt.Wave(gpu, source, lds=256)
    wave.set_sgpr(0, array)
    wave.vgpr(0)[:] = 4 * np.arange(64)
    lds = wave.lds
    wave.m0 = 0xFFFFFFFF
    wave.run()
    np.testing.assert_array_equal(wave.vgpr(1), np.arange(64))
    np.testing.assert_array_equal(lds, np.arange(64))


def test_views_outlive_the_wave():
    wave = wt.Wave(wt.Device("gfx906"), "v_mov_b32 v0, 7\ns_endpgm")
    view = wave.vgpr(0)
    wave.run()
    del wave
    gc.collect()
    assert (view == 7).all()


def test_faults_and_misuse():
    gpu = wt.Device("gfx906")
    wave = wt.Wave(gpu, "global_load_dword v1, v[0:1], off\ns_endpgm")
    with pytest.raises(wt.Error, match="0x0"):
        wave.step()
    assert wave.pc == 0 and not wave.ended
    wave.pc = 1000
    assert wave.next is None
    with pytest.raises(wt.Error):
        wave.step()
    for wrong in [lambda: wave.vgpr(256), lambda: wave.sgpr(106), lambda: wave.set_sgpr(0, 2**40)]:
        with pytest.raises(wt.ArgumentError):
            wrong()
    with pytest.raises(wt.ArgumentError):
        wt.Wave(gpu, "s_endpgm", lds=1 << 20)
    with pytest.raises(wt.AssemblyError):
        wt.Wave(gpu, "s_wrong")
    with pytest.raises(wt.ArgumentError):
        wt.Wave(gpu, 5.0)
    assert "wave" in wave._repr_html_()
    gpu.close()
    with pytest.raises(wt.Error, match="closed"):
        wave.step()
