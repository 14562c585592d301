"""Modules that are imported at their first use."""

import os
import subprocess
import sys

import pytest

# Each use has a process of its own; all of them begin as copies of one that has imported what comes before.
LATE = """
import os, sys
from hornbeam._base.lazy_names import import_at_first_use
import_at_first_use("scipy.stats")
import sklearn.base, sklearn.utils.fixes
assert "scipy.stats._stats_py" not in sys.modules
for use in {uses!r}:
    child = os.fork()
    if child == 0:
        exec(use)
        assert "scipy.stats._stats_py" in sys.modules
        assert type(sys.modules["scipy.stats"]).__name__ == "module"
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, use
"""
USES = [
    "import scipy; assert scipy.stats.norm.cdf(0.0) == 0.5",
    "from scipy import stats; assert stats.norm.cdf(0.0) == 0.5",
    "from scipy.stats import norm; assert norm.cdf(0.0) == 0.5",
    "from scipy.stats.distributions import norm; assert norm.cdf(0.0) == 0.5",
    "import scipy.stats as s, inspect; inspect.getmodule(len); assert s.norm.cdf(0.0) == 0.5",
    "import sklearn.utils.fixes as f; assert f._mode([1, 1, 2])[0] == 1",
]


def run(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_a_module_is_imported_when_a_name_of_it_is_used():
    run(LATE.format(uses=USES))


def test_a_module_that_is_there_stays():
    run(
        "import scipy.stats as before, sys\n"
        "from hornbeam._base.lazy_names import import_at_first_use\n"
        "import_at_first_use('scipy.stats')\n"
        "assert sys.modules['scipy.stats'] is before"
    )


def test_fit_and_show_do_not_wait_for_what_they_do_not_use(tmp_path):
    run(
        "import sys\n"
        "from hornbeam.cli import main\n"
        f"path = {str(tmp_path / 'm.json')!r}\n"
        "assert main(['fit', 'demo:tennis', '-o', path]) == 0\n"
        "assert 'scipy.stats._stats_py' not in sys.modules"
    )
    run(
        "import sys\n"
        "from hornbeam.cli import main\n"
        f"assert main(['show', {str(tmp_path / 'm.json')!r}]) == 0\n"
        "assert not {'sklearn', 'scipy', 'pandas'} & {*sys.modules}"
    )
