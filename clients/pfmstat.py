"""A program names the parts of it that pfmstat counts separately.

    import pfmstat                              pfmstat --regions python3 program.py

    with pfmstat.region("parse"):
        parse()

    @pfmstat.region("sort")
    def sort(): ...

    pfmstat.begin("load"); ...; pfmstat.end("load")

    pfmstat.enable(); ...; pfmstat.disable()    with pfmstat --regions --delay=-1: only this is counted at all

Without pfmstat, each of these is one comparison, after the first. All may be called by any thread, and after a fork.
Regions may lie within others and overlap; pfmstat(1) says what is counted then. A name has up to 255 bytes. The
functions return True, or False: pfmstat is not there, or does not carry the command out.

They wait until pfmstat has read its counters. If it does not answer for PATIENCE seconds, or has ended, the process
goes on without it.

How it works: see pfmstat.h. Needs Python 3.6 and its standard library.
"""

import atexit
import contextlib
import errno
import functools
import os
import socket
import struct
import time

__all__ = ["begin", "disable", "enable", "end", "region"]

PATIENCE = 5
_PREFIX = "/pfmstat-"  # of the directory in the path
_NAME_BYTES = 256  # of a name that are sent; pfmstat refuses this length

_off = False
_idle = []  # (process, socket): used by one thread at a time; append and pop are atomic


def _is_ours(connection):
    """Whether the descriptor is still the connection: the program may have closed it and used it again."""
    try:
        peer = connection.getpeername()
    except OSError:
        return False
    return isinstance(peer, str) and _PREFIX in peer


def _wait_for_room(connection):
    """Make connect() wait while too many others wait: with settimeout() it would fail at once."""
    connection.settimeout(None)
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", PATIENCE, 0))
    except OSError:  # 32 bits with times of 64
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@qq", PATIENCE, 0))


def _connect():
    path = os.environ.get("PFMSTAT_CONTROL", "")
    if not path.startswith("/"):
        raise ConnectionRefusedError
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        _wait_for_room(connection)
        try:
            connection.connect(path)
        except (BlockingIOError, FileNotFoundError) as error:  # no answer in time; pfmstat has ended
            raise ConnectionRefusedError from error
        connection.settimeout(PATIENCE)
    except BaseException:
        connection.close()
        raise
    return connection


def _take():
    """Return an idle connection, or None."""
    while True:
        try:
            process, connection = _idle.pop()
        except IndexError:
            return None
        if not _is_ours(connection):
            connection.detach()
        elif process == os.getpid():
            return connection
        else:
            connection.close()  # the copy of the parent's descriptor


def _ask(connection, text):
    """Return the answer, or None if the connection has ended. The connection is kept, or closed."""
    try:
        connection.send(text)
        answer = connection.recv(64)
    except ConnectionError:
        answer = b""
    except OSError as error:
        connection.close()
        if error.errno != errno.ENOTCONN:  # a signal has interrupted connect()
            raise
        return None
    except BaseException:
        connection.close()
        raise
    if not answer:
        connection.close()
        return None
    _idle.append((os.getpid(), connection))
    return answer


def _say(text):
    global _off
    answer = None
    give_up = time.monotonic() + PATIENCE
    try:
        connection = _take() or _connect()
        # pfmstat may close a connection before it reads the next packet, when it has too many: then use a new one
        answer = _ask(connection, text)
        while answer is None and time.monotonic() < give_up:
            answer = _ask(_connect(), text)
    except (ConnectionError, socket.timeout):
        pass
    except OSError:  # for example, no descriptor is free: that may change
        return False
    if answer is None:
        _off = True
    return answer is not None and answer.startswith(b"ack")


@atexit.register
def _close():
    while _idle:
        process, connection = _idle.pop()
        if _is_ours(connection):
            connection.close()
        else:
            connection.detach()


def _check(name):
    if not isinstance(name, str):
        raise TypeError("a region's name is a str, not %r" % (name,))


def _bytes(name):
    try:
        text = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # of no bytes at all
        text = name.encode("utf-8", "backslashreplace")
    return text.replace(b"\0", b" ")[:_NAME_BYTES]


def enable():
    return not _off and _say(b"enable")


def disable():
    return not _off and _say(b"disable")


def begin(name):
    _check(name)
    return not _off and _say(b"region begin " + _bytes(name))


def end(name):
    _check(name)
    return not _off and _say(b"region end " + _bytes(name))


def _makes_object(function):
    """Whether a call only makes an object, which runs later."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", None)
    # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
    return getattr(getattr(function, "__code__", None), "co_flags", 0) & (0x20 | 0x80 | 0x200)


class region(contextlib.ContextDecorator):
    """A region as the context of a `with`, or as a decorator: around each call."""

    def __init__(self, name):
        _check(name)
        self.name = name

    def __enter__(self):
        begin(self.name)
        return self

    def __exit__(self, *_):
        end(self.name)
        return False

    def __call__(self, function):
        if isinstance(function, type) or not callable(function):
            raise TypeError("region: only functions are decorated, not %r" % (function,))
        if _makes_object(function):
            raise TypeError("region: use `with` in the body of a generator or coroutine")
        return super().__call__(function)
