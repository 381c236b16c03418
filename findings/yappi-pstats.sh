#!/bin/bash
# yappi 1.4.0's files for pstats exchange the calls of recursive functions, and time in built-in functions is nobody's own
# (Debian 12: python3-yappi 1.4.0-1+b1, Python 3.11). Expected: as of cProfile's files, pstats shows 10/1 for a recursion
# of 10 calls, and the own times of all functions add up to the time that was measured.
#
#   calls     The number of all calls and that of primitive ones, which are no recursion, change places: 1/10. So pstats
#             has fewer calls than primitive ones, and ten times the own time per call.
#   own       A built-in function has no row, unless start() has builtins=True, and its time is not its caller's own
#             time either. So most of the time is in no row, neither of yappi's table nor of pstats.
#
# Output seen, for a function that calls itself 10 deep, and each time another one, which spends its time in sum():
#   cProfile: recursive 10/1, 31 calls, 22 primitive, own times most of the time
#   yappi, builtins=False: recursive 1/10, 11 calls, 20 primitive, own times less than half of the time
#   yappi, builtins=True: recursive 1/10, 21 calls, 30 primitive, own times most of the time
#
# Needs apt-get (Debian 12), dpkg-deb and Debian's python3, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download python3-yappi=1.4.0-1+b1 >/dev/null
dpkg-deb -x python3-yappi_*.deb .

cat >profiles.py <<'END'
"""Profiles the same function with cProfile and yappi, and prints what pstats reads of it."""
import cProfile
import io
import pstats

import yappi

numbers = list(range(2000000))


def recursive(depth):
    adding()
    if depth > 1:
        recursive(depth - 1)


def adding():
    return sum(numbers)


def report(title, file):
    text = io.StringIO()
    stats = pstats.Stats(file, stream=text)
    stats.print_stats("recursive")
    calls = [line.split()[0] for line in text.getvalue().splitlines() if line.endswith("(recursive)")]
    rows = {name: row for (_, _, name), row in stats.stats.items()}
    share = "most of" if stats.total_tt > rows["adding"][3] / 2 else "less than half of"
    print(f"{title}: recursive {calls[0]}, {stats.total_calls} calls, {stats.prim_calls} primitive,",
          f"own times {share} the time")


profile = cProfile.Profile()
profile.runcall(recursive, 10)
profile.dump_stats("cprofile")
report("cProfile", "cprofile")
for builtins in False, True:
    yappi.start(builtins=builtins)
    recursive(10)
    yappi.stop()
    yappi.get_func_stats().save("yappi", type="pstat")
    report(f"yappi, builtins={builtins}", "yappi")
    yappi.clear_stats()
END
PYTHONPATH=$PWD/usr/lib/python3/dist-packages /usr/bin/python3 profiles.py | tee seen
diff seen - <<'END'
cProfile: recursive 10/1, 31 calls, 22 primitive, own times most of the time
yappi, builtins=False: recursive 1/10, 11 calls, 20 primitive, own times less than half of the time
yappi, builtins=True: recursive 1/10, 21 calls, 30 primitive, own times most of the time
END
