"""Hooks on launches."""

import gc
import threading
import weakref

import numpy as np
import pytest

import wavetank as wt

SAXPY = """
saxpy:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_load_dword s8, s[0:1], 0x10
    s_lshl_b32 s3, s2, 6
    v_add_u32 v0, s3, v0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    global_load_dword v3, v1, s[6:7]
    s_waitcnt vmcnt(0)
    v_mac_f32 v3, s8, v2
    global_store_dword v1, v3, s[6:7]
    s_endpgm
"""
SIGNATURE = "saxpy(global f32* x, global f32* y, f32 a)"


@pytest.fixture(params=["auto", "interpreter", "jit"])
def saxpy(request):
    """The kernel on a device with one thread, with its arrays."""
    gpu = wt.Device("gfx906", threads=1, engine=request.param)
    kernel = gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]
    x = gpu.array(np.arange(256, dtype=np.float32))
    y = gpu.array(np.ones(256, np.float32))
    yield kernel, x, y
    gpu.close()


def prepared(saxpy):
    kernel, x, y = saxpy
    return kernel.launch(x, y, 2.0, grid=256, block=64)


EXPECTED = 2 * np.arange(256, dtype=np.float32) + 1


def test_a_launch_without_hooks_is_a_call(saxpy):
    run = prepared(saxpy).run()
    assert (run.groups, run.waves, run.instructions) == (4, 4, 48)
    assert (saxpy[2].numpy() == EXPECTED).all()


def test_instructions(saxpy):
    launch = prepared(saxpy)
    seen = []

    @launch.hook("instruction", mnemonic="v_mac_f32")
    def look(wave):
        assert isinstance(wave, wt.HookedWave)
        assert wave.text.startswith("v_mac_f32") and wave.function == "saxpy"
        seen.append((wave.group, wave.index, wave.offset, wave.sgpr(8), wave.vgpr(2)[5], wave.exec))

    launch.run()
    a = int(np.float32(2).view(np.uint32))
    x = [int(np.float32(64 * group + 5).view(np.uint32)) for group in range(4)]
    assert seen == [((group, 0, 0), 0, 0x34, a, x[group], 2**64 - 1) for group in range(4)]
    assert (saxpy[2].numpy() == EXPECTED).all()


def test_places(saxpy):
    for filters, calls in [
        ({}, 48),
        ({"mnemonic": "s_*"}, 24),
        ({"mnemonic": ["s_load_dword", "v_add_u32"]}, 8),
        ({"within": "saxpy", "mnemonic": "global_*"}, 12),
        ({"within": (0, 1)}, 0),
    ]:
        launch, count = prepared(saxpy), []
        launch.hook("instruction", count.append, **filters)
        launch.run()
        assert len(count) == calls, filters


def test_registers_can_be_set(saxpy):
    launch = prepared(saxpy)

    def change(wave):
        wave.vgpr(3)[:] = np.arange(64, dtype=np.float32).view(np.uint32)
        wave.vgpr(3)[0] = np.float32(7).view(np.uint32)
        wave.exec = 0xFF
        wave.set_sgpr(20, 1)

    launch.hook("instruction", change, mnemonic="global_store_dword")
    launch.run()
    y = saxpy[2].numpy().reshape(4, 64)
    assert (y[:, :8] == [7, 1, 2, 3, 4, 5, 6, 7]).all() and (y[:, 8:] == 1).all()


def test_instructions_can_be_skipped(saxpy):
    launch = prepared(saxpy)

    @launch.hook("instruction", mnemonic="v_mac_f32")
    def skip(wave):
        wave.pc = wave.next_pc

    launch.run()
    assert (saxpy[2].numpy() == 1).all()


def test_memory(saxpy):
    kernel, x, y = saxpy
    loaded = {x.address + 4 * n for n in range(256)} | {y.address + 4 * n for n in range(256)}
    for filters, addresses in [
        ({"kind": "load", "mnemonic": "global_*"}, loaded),
        ({"kind": "store"}, {y.address + 4 * n for n in range(256)}),
        ({"kind": ["store", "atomic"], "range": (y.address + 8, y.address + 16)}, {y.address + 8, y.address + 12}),
        ({"range": x, "space": "global"}, {x.address + 4 * n for n in range(256)}),
        ({"space": "lds"}, set()),
    ]:
        launch, seen = prepared(saxpy), []

        def look(wave, accesses):
            assert accesses.space == "global" and (accesses.sizes == 4).all()
            assert len(accesses) == len(accesses.lanes) and accesses.lanes.dtype == np.int8
            seen.extend(zip(accesses.lanes.tolist(), accesses.addresses.tolist()))

        launch.hook("memory", look, **filters)
        launch.run()
        assert {address for _, address in seen} == addresses, filters
        assert all((address - x.address) // 4 % 64 == lane for lane, address in seen if address < x.address + 1024)


def test_events(saxpy):
    launch, events = prepared(saxpy), []
    for event in ["wave_start", "wave_end"]:
        launch.hook(event, lambda wave, event=event: events.append((event, wave.group[0])))
    for event in ["group_start", "group_end"]:
        launch.hook(event, lambda group, event=event: events.append((event, group[0])))
    launch.hook("barrier", lambda wave: events.append("never"))
    launch.run()
    for group in range(4):
        mine = [event for event, of in events if of == group]
        assert mine == ["group_start", "wave_start", "wave_end", "group_end"]


def test_faults():
    gpu = wt.Device("gfx906", threads=1)
    kernel = gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]
    x, y = gpu.array(np.ones(32, np.float32)), gpu.array(np.ones(64, np.float32))
    for answer in [None, False, True, "retry"]:
        launch, faults = kernel.launch(x, y, 2.0, grid=64, block=64), []

        @launch.hook("fault")
        def fault(wave, fault):
            assert isinstance(fault, wt.Fault) and wave.pc == fault.pc
            faults.append(fault.lane)
            if answer == "retry":
                wave.exec = 2**32 - 1
            return answer

        y[:] = 1
        if answer:
            launch.run()
            # Lanes that were denied x keep y: they add 2 * 0, or are off.
            assert (y.numpy() == [3] * 32 + [1] * 32).all()
        else:
            with pytest.raises(wt.Fault):
                launch.run()
        assert faults == [32]


def test_exceptions_end_the_launch(saxpy):
    class Mine(Exception):
        pass

    for event in ["instruction", "memory", "wave_start", "group_end"]:
        launch, calls = prepared(saxpy), []

        def fail(*arguments):
            calls.append(arguments)
            raise Mine(event)

        launch.hook(event, fail)
        with pytest.raises(Mine, match=event):
            launch.run()
        assert len(calls) == 1
        # The device is as good as before.
        saxpy[2][:] = 1
        assert prepared(saxpy).run().waves == 4


def test_what_a_hook_got_is_gone_afterwards(saxpy):
    launch, kept = prepared(saxpy), []

    @launch.hook("instruction", mnemonic="v_mac_f32")
    def keep(wave):
        kept.append((wave, wave.vgpr(2)))

    launch.run()
    for wave, lanes in kept:
        assert lanes.sum() != 0
        lanes[:] = 5
        for use in [lambda: wave.vgpr(2), lambda: wave.exec, lambda: wave.text, lambda: wave.lds, lambda: wave.sgpr(0)]:
            with pytest.raises(wt.Error, match="has returned"):
                use()
        assert "gone" in repr(wave)
    assert (saxpy[2].numpy() == EXPECTED).all()


def test_lds():
    gpu = wt.Device("gfx906", threads=1)
    source = """
    k:
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        v_lshlrev_b32 v1, 2, v0
        s_mov_b32 m0, -1
        ds_write_b32 v1, v0
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_read_b32 v2, v1
        s_waitcnt lgkmcnt(0)
        global_store_dword v1, v2, s[4:5]
        s_endpgm
    """
    kernel = gpu.load(wt.asm(source, kernels=["k(global u32* y)"]))["k"]
    y = gpu.zeros(64, np.uint32)
    launch = kernel.launch(y, grid=64, block=64, lds=256)

    @launch.hook("barrier")
    def double(wave):
        assert (wave.lds[:64] == np.arange(64)).all()
        wave.lds[:64] *= 2

    launch.run()
    assert (y.numpy() == 2 * np.arange(64)).all()


def test_threads_of_the_device_all_call_hooks():
    gpu = wt.Device("gfx906", threads=4)
    kernel = gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]
    x = gpu.array(np.zeros(64 * 64, np.float32))
    launch, groups = kernel.launch(x, x, 1.0, grid=64 * 64, block=64), []
    launch.hook("instruction", lambda wave: groups.append(wave.group[0]), mnemonic="v_mac_f32")
    launch.run()
    assert sorted(groups) == list(range(64))


def test_a_hook_may_launch(saxpy):
    kernel, x, y = saxpy
    launch = prepared(saxpy)

    @launch.hook("wave_end")
    def again(wave):
        if wave.group[0] == 0:
            kernel(x, x, 1.0, grid=64, block=64)

    launch.run()
    assert (x.numpy()[:64] == 2 * np.arange(64)).all()


def test_a_function_is_a_hook_of_several_events(saxpy):
    launch, calls = prepared(saxpy), []

    @launch.hook("wave_start")
    @launch.hook("wave_end")
    def count(wave):
        calls.append(wave.group[0])

    launch.run()
    assert sorted(calls) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_hook_cannot_change_its_own_launch(saxpy):
    for change in [lambda launch: launch.run(), lambda launch: launch.hook("wave_end", print)]:
        launch = prepared(saxpy)
        launch.hook("wave_start", lambda wave: change(launch))
        with pytest.raises(wt.Error, match="has run"):
            launch.run()


def test_a_hook_on_faults_answers_with_a_known_word():
    gpu = wt.Device("gfx906", threads=1)
    kernel = gpu.load(wt.asm(SAXPY, kernels=[SIGNATURE]))["saxpy"]
    x, y = gpu.zeros(32, np.float32), gpu.zeros(64, np.float32)
    launch = kernel.launch(x, y, 2.0, grid=64, block=64)
    launch.hook("fault", lambda wave, fault: "again")
    with pytest.raises(wt.ArgumentError, match="again"):
        launch.run()


def test_misuse(saxpy):
    launch = prepared(saxpy)
    for call, sentence in [
        (lambda: launch.hook("instructions", print), "no event `instructions`"),
        (lambda: launch.hook("barrier", print, mnemonic="s_barrier"), "takes no `mnemonic`"),
        (lambda: launch.hook("instruction", print, kind="load"), "takes no `kind`"),
        (lambda: launch.hook("memory", print, kind="read"), "no kind `read`"),
        (lambda: launch.hook("memory", print, space="vram"), "no memory `vram`"),
        (lambda: launch.hook("memory", print, range=5), "range is an array"),
        (lambda: launch.hook("instruction", print, within="other"), "no function `other`"),
        (lambda: launch.hook("instruction", print, within=7), "within is the name"),
        (lambda: launch.hook("instruction", print, mnemonic=3), "mnemonic is a text"),
        (lambda: launch.hook("instruction", 5), "a hook is a function, not `int`"),
    ]:
        with pytest.raises(wt.ArgumentError, match=sentence):
            call()
    launch.run()
    for call in [launch.run, lambda: launch.hook("fault", print)]:
        with pytest.raises(wt.Error, match="has run"):
            call()
    kernel, x, y = saxpy
    late = kernel.launch(x, 2.0, grid=1)
    with pytest.raises(wt.ArgumentError):
        late.run()


def test_hooks_are_freed(saxpy):
    def look(wave):
        pass

    gone = weakref.ref(look)
    launch = prepared(saxpy)
    launch.hook("instruction", look)
    launch.run()
    del launch, look
    gc.collect()
    assert gone() is None


def test_other_threads_of_python_run_meanwhile(saxpy):
    ticks = []
    launch = prepared(saxpy)
    other = threading.Thread(target=lambda: ticks.append(1))

    @launch.hook("group_start")
    def start(group):
        if group[0] == 0:
            other.start()
            other.join()

    launch.run()
    assert ticks == [1]
