"""The examples in docstrings run, and what is public has one."""

import doctest
import inspect

import pytest

import wavetank
from wavetank import _batch, _capture, _errors, _listing, _state, _wavetank, testing

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def documented():
    """Everything of the package with a docstring, by name."""
    found = {"wavetank": wavetank}
    for module in [_wavetank, _listing, _state, _errors, _batch, _capture, testing]:
        for name, thing in vars(module).items():
            if name.startswith("_") or not (inspect.isclass(thing) or callable(thing)):
                continue
            if getattr(thing, "__module__", "").split(".")[0] != "wavetank":
                continue
            found[name] = thing
            if inspect.isclass(thing):
                for part, member in vars(thing).items():
                    if not part.startswith("_") and callable(member):
                        found[f"{name}.{part}"] = member
    return found


@pytest.mark.parametrize("name", sorted(documented()))
def test_examples_of(name):
    text = inspect.getdoc(documented()[name]) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0


def test_what_is_public_is_documented():
    for name in wavetank.__all__:
        thing = getattr(wavetank, name)
        assert inspect.getdoc(thing), name
        if not inspect.isclass(thing):
            continue
        for part, member in vars(thing).items():
            if not part.startswith("_") and (callable(member) or inspect.isgetsetdescriptor(member)):
                assert inspect.getdoc(member), f"{name}.{part}"


def test_the_examples_are_there():
    examples = [name for name, thing in documented().items() if ">>>" in (thing.__doc__ or "")]
    assert len(examples) >= 7, examples
