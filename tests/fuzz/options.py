#!/usr/bin/env python3
"""Random command lines, reproducible by a seed, for a program built with sanitizers: it neither crashes nor hangs,
and names the reason if it refuses. Some are run under the fault shim, where the kernel refuses."""

import argparse, os, random, re, select, signal, subprocess, sys, tempfile, time

EVENTS = ["cs", "faults", "task-clock", "cs:u", "{cs,faults}", "{cs,faults}:W", "cycles", "{cycles,instructions}",
          "msr/tsc/", "mem:0x1000:w", "duration_time", "sched:sched_switch", "sched:*fork", "no-such", "", "{", "cs,cs"]
FAULTS = ["open:%s", "open:%s:n=2", "open:%s:from=3", "open:%s:cpuwide", "open:%s:member", "read:%s", "read:%s:n=2",
          "read:EOF", "ioctl:%s", "ioctl:%s:n=1", "counters:1", "counters:2", "raise:2:n=2"]
ERRORS = ["EPERM", "ENOENT", "ESRCH", "EINTR", "EBADF", "EAGAIN", "ENOMEM", "EACCES", "EBUSY", "ENODEV", "EINVAL",
          "EMFILE", "ENOSPC", "ENOSYS", "E2BIG", "EIO"]
VALUES = {
    "event": EVENTS, "folded": EVENTS, "sort": EVENTS, "scale": ["time", "x"], "by": ["process", "comm", "thread", "x"],
    "cpu": ["0", "0-1", "9999", "x", ""], "pid": ["{pid}", "1", "{pid},1", "99999999", "x"], "tid": ["{pid}", "0"],
    "cgroup": ["/", "x", ",", "/,"], "for-each-cgroup": ["/", "*", "x"], "per-cache": [None, "L1", "2", "9"],
    "control": ["fd:0", "fd:0,1", "fd:77", "fifo:x", "x"], "delay": ["-1", "0", "30", "x"],
    "interval-print": ["1", "20", "0", "x"], "interval-count": ["1", "3", "0"], "timeout": ["50", "0", "x"],
    "fail-if": ["cs>1%", "faults<-3,cs>0", "x"], "post": [":", "exit 3"], "pre": [":", "exit 3"], "repeat": ["1", "3", "x"],
    "seed": ["1", "x"], "threshold": ["1", "-1", "nan"], "until": ["50", "0"], "warmup": ["0", "1"],
    "filter": ["common_pid > 0", "x ==", ""], "metrics": ["/dev/null", "/nowhere", "."],
    "log-fd": ["1", "2", "88"], "output": ["out", "-", "/dev/full", "/nowhere/x"],
    "field-separator": [",", ";", "\\t", ""], "list": [None, "cs*", "nope::*"], "top": ["1", "0", "x"],
}
UNWANTED = {"sync"}  # the machine has other users
COMMANDS = [["true"], ["false"], ["sh", "-c", "true; true | true"], ["no-such-command"], ["sh", "-c", "kill -9 $$"],
            ["sleep", "0.05"], ["true", ":::", "false"], []]
HANG = 120  # seconds


def options_of(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ +(?:-\w, )?--([a-z-]+)(\[?=)?", text, re.M)
    return [(name, bool(value)) for name, value in found if name not in UNWANTED]


def command_line(rng, options, pid):
    line = ["-e", rng.choice(EVENTS)] if rng.random() < 0.7 else []
    for name, takes in rng.sample(options, rng.randint(0, 5)):
        value = rng.choice(VALUES.get(name, ["1", "x", ""])) if takes else None
        line.append("--" + name + ("" if value is None else "=" + value.replace("{pid}", str(pid))))
    return line + rng.choice(COMMANDS)


def system_call(pid):
    """The number and arguments of its system call; [] while it runs."""
    try:
        with open(f"/proc/{pid}/syscall") as f:
            return [int(word, 0) for word in f.read().split() if word != "running"]
    except OSError:
        return []


def waits_for_ever(pid):
    """Whether it is in poll(2) or ppoll(2) without a time-out. The numbers depend on the architecture."""
    call = system_call(pid)
    return {"x86_64": call[:1] == [7] and call[3] & 0xffffffff == 0xffffffff,
            "aarch64": call[:1] == [73] and call[3] == 0}.get(os.uname().machine, False)


def has_child(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return f.read() != ""
    except OSError:
        return False


def end(run):
    """Its output, or None if it hangs. Without a command, most runs wait for a signal, and get one then."""
    signals, said, chunk = [signal.SIGINT, signal.SIGTERM], b"", None
    deadline = time.monotonic() + (HANG if os.uname().machine in ("x86_64", "aarch64") else 3)
    while chunk != b"":
        if select.select([run.stdout], [], [], 0.005)[0]:
            chunk = os.read(run.stdout.fileno(), 65536)
            said += chunk
        late = time.monotonic() > deadline
        if late and not signals:
            run.kill()
            run.communicate()
            return None
        if late or (len(signals) == 2 and waits_for_ever(run.pid) and not has_child(run.pid)):
            run.send_signal(signals.pop(0))
            deadline = time.monotonic() + HANG
    run.communicate()
    return said.decode(errors="replace")


def judge(run, text):
    """The error of the run, or None."""
    for sign in ("Sanitizer", "runtime error:", "fault: PFMFAULT"):
        if sign in text:
            return sign
    if run.returncode < 0 and -run.returncode not in (signal.SIGINT, signal.SIGTERM):
        return f"killed by signal {-run.returncode}"
    if run.returncode == 125 and not text.strip():
        return "refused without a reason"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    program, shim = os.path.abspath(args.program), os.path.abspath(args.shim)
    rng, options, failed = random.Random(args.seed), options_of(program), 0
    assert len(options) > 50, "--help has another form"
    environment = os.environ | {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=1", "LC_ALL": "C", "COLUMNS": "80",
                                "UBSAN_OPTIONS": "print_stacktrace=1"}
    with tempfile.TemporaryDirectory() as scratch:
        for i in range(args.runs):
            target = subprocess.Popen(["sleep", "600"])
            line = command_line(rng, options, target.pid)
            fault = rng.choice(FAULTS).replace("%s", rng.choice(ERRORS)) if rng.random() < 0.4 else None
            extra = {"LD_PRELOAD": shim, "PFMFAULT": fault} if fault else {}
            run = subprocess.Popen([program, *line], cwd=scratch, env=environment | extra, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            text = end(run)
            target.kill()
            target.wait()
            wrong = "hangs" if text is None else judge(run, text)
            if wrong:
                failed += 1
                print(f"{i}: {wrong}: PFMFAULT='{fault or ''}' pfmstat {line}\n{text or ''}", flush=True)
    print(f"{args.runs} command lines of seed {args.seed}, {failed} failed")
    return failed != 0


sys.exit(main())
