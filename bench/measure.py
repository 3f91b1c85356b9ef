"""Measures whole processes: wall time and peak memory of commands that run in turn."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

KIBIBYTES_PER_MEBIBYTE = 1024


class MeasureError(Exception):
    """A measured command failed; the message has what it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One run of one process: seconds from its start to its end, and its peak resident memory."""

    seconds: float
    peak_mib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Several runs of one command."""

    median: float
    least: float
    most: float
    peak_mib: float


def run_once(command: Sequence[str]) -> Sample:
    """Runs a command to its end and measures it, its own children included.

    Raises:
        MeasureError: the command did not end with exit code 0.
    """
    with tempfile.TemporaryFile() as printed:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, printed.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, printed.fileno(), 2),
        ]
        start = time.perf_counter()
        process = os.posix_spawn(command[0], list(command), os.environ, file_actions=actions)
        _, status, usage = os.wait4(process, 0)
        seconds = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) != 0:
            printed.seek(0)
            told = printed.read().decode(errors="replace")
            raise MeasureError(
                f"exit code {os.waitstatus_to_exitcode(status)} from {' '.join(command)}\n{told}"
            )
    return Sample(seconds=seconds, peak_mib=usage.ru_maxrss / KIBIBYTES_PER_MEBIBYTE)


def measure_interleaved(
    commands: Mapping[str, Sequence[str]], *, rounds: int, show: Callable[[str], None]
) -> dict[str, Spread]:
    """Runs every command once to warm up, then all of them in turn, `rounds` times.

    The order is turned round in every second round, so that no command always has the other's caches.

    Args:
        commands: by name; the first word of each is the path of a program.
        rounds: measured runs of each command, at least 1.
        show: is told how far the work is.

    Raises:
        MeasureError: a command failed.
    """
    for command in commands.values():
        run_once(command)
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for number in range(rounds):
        show(f"round {number + 1} of {rounds}")
        names = list(commands)
        for name in names if number % 2 == 0 else reversed(names):
            samples[name].append(run_once(commands[name]))
    return {name: _spread(taken) for name, taken in samples.items()}


def _spread(samples: Sequence[Sample]) -> Spread:
    seconds = [sample.seconds for sample in samples]
    return Spread(
        median=statistics.median(seconds),
        least=min(seconds),
        most=max(seconds),
        peak_mib=max(sample.peak_mib for sample in samples),
    )
