#!/usr/bin/env python3
"""Metrics by another evaluator: tests/helpers/expressions.py TEST_EXPR SEED [FILE|DIRECTORY...]

Every MetricExpr and MetricThreshold of the files, and as many expressions made up at random, are computed here and by
TEST_EXPR evaluate (tests/unit/metric/test_expr.c), with random counts for the events. Values must agree to 1e-9, slopes
with differences of values to 1e-3, or to 1e-6 of the value; where those of floating point disagree, they are computed
without loss. Prints what does not agree, and a summary; status 1 if anything did not.
"""
import fractions
import glob
import json
import math
import os
import random
import re
import subprocess
import sys

TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+(?![\w.:])|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.:]))"
    r"|(?P<literal>#\w+)"
    r"|(?P<name>(?:[\w.:]|\\.)(?:[\w.:]|\\.|@(?:[^@\\]|\\.)*@)*)"
    r"|(?P<sign>==|[-+*/%<>&|^(),]))")
# Higher numbers bind more strongly.
POWER = {"|": 1, "^": 2, "&": 3, "<": 4, ">": 4, "==": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}


class NoValue(Exception):
    pass


def tokens(text):
    at, found = 0, []
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SyntaxError("%r at %d" % (text, at))
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return found


def tree_of(text):
    """By the shunting-yard algorithm, so that it differs from the program's parser."""
    todo = tokens(text)[::-1]

    def expression(ends):
        values, signs = [], []

        def reduce():
            sign = signs.pop()
            right = values.pop()
            values.append(("neg", right) if sign == "neg" else (sign, values.pop(), right))

        want = True
        while todo and not (todo[-1][1] in ends and todo[-1][0] != "number"):
            kind, word = todo.pop()
            if want and word == "-":
                signs.append("neg")
            elif want:
                values.append(operand(kind, word))
                want = False
            else:
                while signs and (signs[-1] == "neg" or POWER[signs[-1]] >= POWER[word]):
                    reduce()
                signs.append(word)
                want = True
        while signs:
            reduce()
        assert len(values) == 1, text
        return values[0]

    def whole(ends):
        value = expression(ends + ["if"])
        if not todo or todo[-1][1] != "if":
            return value
        todo.pop()
        condition = expression(["else"])
        todo.pop()
        return ("if", value, condition, whole(ends))

    def operand(kind, word):
        if word == "(":
            value = whole([")"])
            todo.pop()
            return value
        if kind == "number":
            return ("number", float(int(word, 16)) if word[:2] in ("0x", "0X") else float(word))
        if kind == "literal":
            return ("literal", word)
        if word in ("min", "max", "d_ratio") and todo and todo[-1][1] == "(":
            todo.pop()
            first = whole([","])
            todo.pop()
            second = whole([")"])
            todo.pop()
            return (word, first, second)
        if word in ("has_event", "source_count", "strcmp_cpuid_str") and todo and todo[-1][1] == "(":
            todo.pop()
            name = todo.pop()[1]
            todo.pop()
            return (word, decoded(name))
        return ("name", decoded(word))

    value = whole([])
    assert not todo, text
    return value


def decoded(name):
    return re.sub(r"\\(.)", r"\1", name.replace("@", "/"))


def names_of(tree, found):
    if tree[0] == "name" or tree[0] in ("has_event", "source_count"):
        found["event"].add(tree[1])
    elif tree[0] == "literal":
        found["literal"].add(tree[1])
    else:
        for part in tree[1:]:
            if isinstance(part, tuple):
                names_of(part, found)


def whole_number(x):
    return int(x)


def compute(tree, world):
    kind, parts = tree[0], tree[1:]
    number = world["number"]
    if kind == "number":
        return number(parts[0])
    if kind == "literal":
        return number(world["literal"][parts[0]])
    if kind == "name":
        if parts[0] in world["metric"]:
            return compute(world["metric"][parts[0]], world)
        return number(world["event"][parts[0]])
    if kind in ("has_event", "strcmp_cpuid_str", "source_count"):
        return number(1)
    if kind == "if":
        return compute(parts[0] if compute(parts[1], world) != 0 else parts[2], world)
    values = [compute(part, world) for part in parts]
    if kind == "neg":
        return -values[0]
    a, b = values
    if kind in ("min", "max"):
        return min(a, b) if kind == "min" else max(a, b)
    if kind == "d_ratio":
        return a / b if b else number(0)
    if kind in "/%" and (b == 0 or (kind == "%" and int(b) == 0)):
        raise NoValue
    if kind == "/":
        return a / b
    if kind in "&|^%":
        m, n = whole_number(a), whole_number(b)
        return number({"&": lambda: m & n, "|": lambda: m | n, "^": lambda: m ^ n,
                      "%": lambda: int(math.fmod(m, n))}[kind]())
    if kind in ("<", ">", "=="):
        return number(a < b if kind == "<" else a > b if kind == ">" else a == b)
    return a + b if kind == "+" else a - b if kind == "-" else a * b


def attempt(tree, world):
    try:
        value = compute(tree, world)
        return value if math.isfinite(value) else None
    except (NoValue, OverflowError):
        return None


def exact_slope(tree, world, name):
    """By rational numbers, which lose no digits; NaN for no value."""
    before = world["event"][name]
    step = fractions.Fraction(before) / 10**7
    values = []
    for moved in (before + step, before - step):
        values.append(attempt(tree, {**world, "number": fractions.Fraction, "event": {**world["event"], name: moved}}))
    return math.nan if None in values else float((values[0] - values[1]) / (2 * step))


def made_up(rng, depth=0):
    if depth > 5 or rng.random() < 0.15:
        return rng.choice(["E%d" % rng.randrange(6), "%d" % rng.randrange(9), "%.3f" % rng.uniform(0, 9), "#L1",
                           "cpu@E1\\,cmask\\=1@", "pa\\-ge", "%de-%d" % (rng.randrange(1, 9), rng.randrange(4))])
    kind = rng.random()
    a, b = made_up(rng, depth + 1), made_up(rng, depth + 1)
    if kind < 0.1:
        return "%s(%s, %s)" % (rng.choice(["min", "max", "d_ratio"]), a, b)
    if kind < 0.2:
        return "(%s if %s else %s)" % (a, made_up(rng, depth + 1), b)
    if kind < 0.25:
        return "-%s" % a
    if kind < 0.4:
        return "(%s)" % a
    return "%s %s %s" % (a, rng.choice(list("+-*/<>") + ["==", "+", "-", "*", "/"]), b)


def read(paths):
    for path in paths:
        for name in sorted(glob.glob(os.path.join(path, "*.json"))) if os.path.isdir(path) else [path]:
            data = json.load(open(name))
            for item in data if isinstance(data, list) else []:
                if "MetricExpr" in item:
                    yield item


def main():
    program, seed, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    rng = random.Random(seed)
    items = list(read(paths))
    metrics = {item["MetricName"]: item["MetricExpr"] for item in items}
    cases = [(item["MetricName"], item["MetricExpr"]) for item in items]
    cases += [(item["MetricName"] + "'s threshold", item["MetricThreshold"]) for item in items
              if "MetricThreshold" in item]
    cases += [("made up", made_up(rng)) for _ in range(300)]
    world = {"metric": {name: tree_of(text) for name, text in metrics.items()}, "event": {}, "literal": {},
             "number": float}
    trees = [(what, text, tree_of(text)) for what, text in cases]
    found = {"event": set(), "literal": set()}
    for tree in list(world["metric"].values()) + [tree for _, _, tree in trees]:
        names_of(tree, found)
    for name in sorted(found["event"] - set(metrics)):
        world["event"][name] = float(rng.choice([rng.randrange(1, 50), rng.randrange(10**6, 10**9)]))
    for name in sorted(found["literal"]):
        world["literal"][name] = float(rng.randrange(0, 3))

    lines = ["event\t%s\t%r" % pair for pair in world["event"].items()]
    lines += ["literal\t%s\t%r" % pair for pair in world["literal"].items()]
    done = set()

    def define(name):
        if name in done:
            return
        done.add(name)
        inner = {"event": set(), "literal": set()}
        names_of(world["metric"][name], inner)
        for other in sorted(inner["event"] & set(metrics)):
            define(other)
        lines.append("metric\t%s\t%s" % (name, metrics[name]))

    for name in sorted(metrics):
        define(name)
    lines += ["value\t" + text for _, text, _ in trees]
    answers = subprocess.run([program, "evaluate"], input="\n".join(lines) + "\n", text=True, capture_output=True,
                             check=True).stdout.splitlines()
    wrong = slopes = values = 0
    assert len(answers) == len(trees), "%d answers to %d questions" % (len(answers), len(trees))
    for (what, text, tree), answer in zip(trees, answers):
        fields = answer.split("\t")
        expected = attempt(tree, world)
        got = None if fields[0] == "none" else fields[0] if fields[0] == "bad" else float(fields[0])
        values += expected is not None
        if (got is None) != (expected is None) or got == "bad" or (
                got is not None and abs(got - expected) > 1e-9 * max(abs(got), abs(expected))):
            print("%s: %s\n  is %r, should be %r" % (what, text, got, expected))
            wrong += 1
            continue
        for field in fields[1:]:
            name, slope = field.rsplit("=", 1)
            before = world["event"][name]
            steps = []
            for step in (1e-5, -1e-5, 5e-6):
                world["event"][name] = before * (1 + step)
                moved = attempt(tree, world)
                steps.append(None if moved is None or expected is None else (moved - expected) / (before * step))
            world["event"][name] = before
            # at a kink or a step, or where digits are lost, differences are meaningless
            if None in steps or math.isnan(float(slope)):
                continue
            size = max(map(abs, steps))
            noise = 1e-10 * abs(expected) / before / 1e-5
            if max(steps) - min(steps) > 1e-3 * size or size < 100 * noise:
                continue
            slopes += 1
            if abs(float(slope) - steps[0]) > 1e-3 * size:
                exact = exact_slope(tree, world, name)
                value = attempt(tree, {**world, "number": fractions.Fraction})
                if value is None or abs(value - expected) > 1e-9 * abs(expected):
                    continue  # the value itself has lost its digits
                if abs(float(slope) - exact) <= max(1e-3 * abs(exact), 1e-6 * abs(expected) / before):
                    continue
                print("%s: %s\n  by %s it has slope %s, should be %r" % (what, text, name, slope, exact))
                wrong += 1
    print("%d expressions, %d with a value, %d slopes, %d wrong" % (len(trees), values, slopes, wrong))
    return wrong > 0 or values < len(trees) / 2 or slopes < len(trees) / 2


if __name__ == "__main__":
    sys.exit(main())
