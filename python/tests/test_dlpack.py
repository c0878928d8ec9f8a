"""Arrays of other libraries, which have `__dlpack__` and nothing of NumPy."""

import gc

import numpy as np
import pytest

import wavetank as wt
from conftest import numbers

pytestmark = pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy 1.23 has it")
VERSIONS = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)


class Tensor:
    """An array of a library that knows versions of DLPack, or of an older one."""

    def __init__(self, array, knows_versions=True, device=(1, 0)):
        self.array, self.knows_versions, self.device = array, knows_versions, device
        self.asked = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **settings):
        self.asked.append(settings)
        if settings and not self.knows_versions:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**settings)


def tensors(array):
    return [Tensor(array.copy()), Tensor(array.copy(), knows_versions=False)]


def test_a_kernel_reads_and_writes_them(saxpy):
    for x, y in zip(tensors(numbers(64)), tensors(numbers(64, 2))):
        want = (np.float64(2) * x.array + y.array).astype(np.float32)
        saxpy(x, y, 2.0, 64, grid=64, block=64)
        np.testing.assert_array_equal(y.array, want)
        assert x.asked[0] == ({"max_version": (1, 0)} if VERSIONS else {})
        assert len(x.asked) == (2 if VERSIONS and not x.knows_versions else 1)


def test_gaps_and_aliases(saxpy):
    both = np.zeros((64, 2), np.float32)
    both[:, 1] = 5
    x = np.arange(64, dtype=np.float32)
    saxpy(Tensor(x), Tensor(both[:, 0]), 1.0, 64, grid=64, block=64)
    np.testing.assert_array_equal(both, np.stack([x, np.full(64, 5)], axis=1))
    saxpy(Tensor(x), Tensor(x), 1.0, 64, grid=64, block=64)
    np.testing.assert_array_equal(x, 2 * np.arange(64))


@pytest.mark.skipif(not VERSIONS, reason="NumPy 2.1 has versions")
def test_memory_that_is_read_only_stays_as_it_is(saxpy):
    y = np.zeros(64, np.float32)
    y.flags.writeable = False
    with pytest.raises(wt.ArgumentError, match="read-only"):
        saxpy(Tensor(numbers(64)), Tensor(y), 1.0, 64, grid=64, block=64)
    assert (y == 0).all()


def test_the_device_takes_copies(device):
    for tensor in tensors(np.arange(6, dtype=np.int16).reshape(2, 3)):
        array = device.array(tensor)
        assert array.dtype == np.int16 and array.shape == (2, 3)
        array[0, 0] = 9
        assert tensor.array[0, 0] == 0
        assert device.array(tensor, np.float32).dtype == np.float32
    assert device.array(device.zeros(3, "V5")).dtype == np.dtype("V5")


def test_memory_stays_as_long_as_it_is_used(device):
    from wavetank._dlpack import imported

    for tensor in tensors(np.arange(100_000)):
        array = imported(tensor)
        assert array.ctypes.data == tensor.array.ctypes.data
        del tensor
        gc.collect()
        assert array.sum() == 100_000 * 99_999 // 2


def test_what_is_not_on_the_host_or_has_no_elements_is_a_sentence(saxpy, device):
    class Broken:
        def __dlpack__(self, **settings):
            raise BufferError("no gradient, please")

        def __dlpack_device__(self):
            return (1, 0)

    class Liar(Broken):
        def __dlpack__(self, **settings):
            return 5

    class Nameless(Broken):
        __dlpack_device__ = None

    for value, sentence in [
        (Tensor(numbers(64), device=(2, 1)), r"on the device \(2, 1\).*not on the CPU"),
        (Broken(), "no gradient, please"),
        (Liar(), "cannot be read by DLPack"),
        (Nameless(), "cannot be read by DLPack"),
        (Tensor(numbers(64).astype(">f4")), "cannot be read by DLPack"),
    ]:
        for use in [
            lambda: saxpy(value, numbers(64), 1.0, 64, grid=64),
            lambda: device.array(value),
            lambda: wt.Item(b"", "saxpy", (value,), grid=64),
        ]:
            with pytest.raises(wt.ArgumentError, match=sentence):
                use()
    with pytest.raises(wt.ArgumentError, match="was given an array of float64"):
        saxpy(Tensor(numbers(64).astype(np.float64)), numbers(64), 1.0, 64, grid=64)


def test_items_of_batches_take_them():
    x = numbers(64)
    items = [wt.Item(b"", "saxpy", (value,), grid=64) for value in [x, Tensor(x), Tensor(x, knows_versions=False)]]
    assert len(set(items)) == 1


def test_tensors_of_pytorch(saxpy):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x, y = torch.arange(64, dtype=torch.float32), torch.ones(64)
    saxpy(x, y, 2.0, 64, grid=64, block=64)
    assert torch.equal(y, 2 * torch.arange(64) + 1)
    with pytest.raises(wt.ArgumentError, match="grad"):
        saxpy(torch.ones(64, requires_grad=True), y, 2.0, 64, grid=64, block=64)


def test_arrays_of_jax(saxpy):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x, y = jax.numpy.arange(64, dtype=np.float32), np.ones(64, np.float32)
    saxpy(x, y, 2.0, 64, grid=64, block=64)
    np.testing.assert_array_equal(y, 2 * np.arange(64) + 1)
