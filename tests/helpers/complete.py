#!/usr/bin/env python3
"""Asks one shell for its completions when tab is pressed, for each row of a table on standard input, and prints each row
that does not hold.

    complete.py bash|fish|readline|zsh DIRECTORY_OF_COMPLETIONS <table

A row is `LINE<Tab> | FIELD...`, with a blank on both sides of each bar; lines that begin with # are comments. All rows are
asked of one process of the shell. What the fields mean depends on the shell:

bash, fish     TEXT must be among the completions that are offered for the word at the cursor, !TEXT must not be; `nothing
               else` forbids all that the row does not name, and `nothing` any. TEXT may have a description, two blanks
               apart. bash replaces the word as readline cuts it, which has ends at `=` and `:`.
readline, zsh  These run at a terminal. The first field is the line after the tab; _ is the cursor. Each TEXT must be among
               what is listed below it, and no !TEXT may be. Any white space matches any other.
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 120  # seconds, which only a shell that hangs reaches
TERMINALS = {
    "readline": ["bash", "--noprofile", "--rcfile", HERE + "/complete.readline", "-i"],
    "zsh": ["zsh", "-d", "-i"],
}
COMMANDS = {
    "bash": ["bash", "--norc", HERE + "/complete.bash"],
    "fish": ["fish", HERE + "/complete.fish"],
}


def offers(shell, directory, lines):
    """The completions of each line, with their descriptions."""
    result = subprocess.run([*COMMANDS[shell], f"{directory}/pfmstat.{shell}"], input="\n".join(lines) + "\n",
                            stdout=subprocess.PIPE, timeout=LIMIT, text=True, errors="surrogateescape", check=True)
    found = [{} for _ in lines]
    for offer in result.stdout.splitlines():
        number, text = offer.split("\t", 1)
        name, _, description = text.replace("\t", "  ", 1).partition("  ")
        found[int(number) - 1][name] = description
    return found


def failures_of_offer(found, wanted):
    shown = [f"{name}  {found[name]}".rstrip() for name in found]
    named = [text.partition("  ")[0] for text in wanted]
    for text in wanted:
        if text in ("nothing", "nothing else"):
            for other in set(found) - set(named):
                yield f"offered: {other}"
        elif text.startswith("!"):
            if text[1:] in found:
                yield f"offered: {text[1:]}"
        elif text not in (shown if "  " in text else found):
            yield f"not offered: {text}\n    but: {shown}"


class Terminal:
    """An interactive shell, whose tab key writes the line, between two control characters, when it has completed it."""

    def __init__(self, command, directory):
        size = struct.pack("HHHH", 60, 120, 0, 0)
        ready, told = os.pipe()
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.read(ready, 1)
            os.environ.update(TERM="vt100", COMPLETIONS=directory, HELPER=HERE)
            os.execvp(command[0], command)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, size)
        os.write(told, b"x")
        self.text = b""
        self.until(rb"READY> ")

    def until(self, pattern):
        """The output up to the pattern, and the match of its group."""
        while not (match := re.search(pattern, self.text, re.S)):
            if not select.select([self.file], [], [], LIMIT)[0]:
                sys.exit(f"no answer; on the terminal: {self.text}")
            self.text += os.read(self.file, 65536)
        before, self.text = self.text[:match.start()], self.text[match.end():]
        return before, match.group(match.lastindex or 0)

    def press_tab(self, line):
        os.write(self.file, line.encode(errors="surrogateescape") + b"\t\x14")
        shown, after = self.until(rb"\x01([^\x02]*)\x02")
        shown = re.sub(rb"\x1b(\[[0-9;?]*[A-Za-z]|[=>()78].?)|\x00", b"", shown)
        return after.decode(errors="surrogateescape"), " ".join(shown.decode(errors="surrogateescape").split())

    def end(self):
        os.close(self.file)
        os.waitpid(self.pid, 0)


def failures_at_terminal(found, wanted):
    line, shown = found
    if line + "_" != wanted[0]:
        yield f"became: {line}_\n    not:    {wanted[0]}"
    for text in wanted[1:]:
        unwanted = text.startswith("!")
        words = " ".join(text.removeprefix("!").split())
        if bool(re.search(r"(?<!\S)" + re.escape(words), shown)) == unwanted:
            yield f"{'listed' if unwanted else 'not listed'}: {words}\n    in: {shown}"


def main():
    shell, directory = sys.argv[1:]
    rows = [row for row in sys.stdin.read().splitlines() if row.strip() and not row.startswith("#")]
    if not rows:
        sys.exit("the table has no rows")
    table = []
    for row in rows:
        line, rest = row.split("<Tab>", 1)
        table.append((line, [field.strip() for field in rest.split(" | ")[1:]]))
        if not table[-1][1]:
            sys.exit(f"the row says nothing: {row}")
    lines = [line for line, _ in table]
    if shell in TERMINALS:
        terminal = Terminal(TERMINALS[shell], directory)
        found = [terminal.press_tab(line) for line in lines]
        terminal.end()
        judge = failures_at_terminal
    else:
        found = offers(shell, directory, lines)
        judge = failures_of_offer
    failed = False
    for (line, wanted), answer in zip(table, found):
        for failure in judge(answer, wanted):
            failed = True
            print(f"{shell}: {line}<Tab>: {failure}")
    sys.exit(failed)


main()
