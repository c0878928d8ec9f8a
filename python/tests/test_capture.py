"""Captured launches: written, listed and repeated in another process."""

import numpy as np
import pytest

import wavetank as wt


def test_a_launch_is_captured_and_repeated(device, saxpy, tmp_path):
    path = tmp_path / "saxpy.wtc"
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    saxpy(x, y, 2.0, 100, grid=128, block=64, capture=path)
    assert (y == 2 * x + 1).all()
    capture = wt.Capture(path)
    assert (capture.kernel, capture.chip) == ("saxpy", device.chip)
    assert (capture.grid, capture.block, capture.written) == ((128, 1, 1), (64, 1, 1), 1)
    assert capture.failure is None
    assert sorted(size for name, _, size in capture.allocations if size == 400) == [400, 400]
    replay = capture.replay(timeout=60)
    assert (replay.equal, replay.written, replay.different) == (True, 1, [])
    # Two waves: the second has lanes after the 36 that are left.
    assert replay.instructions == 2 * 13


def test_a_prepared_launch_is_captured(saxpy, tmp_path):
    path = str(tmp_path / "saxpy.wtc")
    launch = saxpy.launch(np.ones(64, np.float32), np.ones(64, np.float32), 2.0, 64, grid=64, block=64, capture=path)
    launch.run()
    assert wt.Capture(path).replay().equal


def test_a_fault_is_repeated(device, saxpy, tmp_path):
    path = tmp_path / "fault.wtc"
    x = device.array(np.ones(64, np.float32))
    with pytest.raises(wt.Fault) as first:
        saxpy(x, x, 2.0, 1 << 20, grid=1 << 20, block=64, capture=path)
    capture = wt.Capture(path)
    assert (capture.written, capture.failure) == (None, str(first.value))
    with pytest.raises(wt.Fault) as again:
        capture.replay()
    assert (again.value.pc, again.value.lane) == (first.value.pc, first.value.lane)


def test_what_is_not_a_capture_is_refused(tmp_path):
    path = tmp_path / "other.wtc"
    with pytest.raises(FileNotFoundError):
        wt.Capture(path)
    path.write_bytes(b"text")
    with pytest.raises(wt.Error, match="not a capture"):
        wt.Capture(path)
