from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys


@dataclasses.dataclass(frozen=True)
class Reading:
    """One line of a gauge's log."""

    gauge: str
    level_cm: float
    taken_at: int

    @classmethod
    def parse(cls, line: str) -> "Reading":
        gauge, level, taken_at = line.rstrip("\n").split("\t")
        return cls(gauge, float(level), int(taken_at, 10))


def highest(readings: list[Reading], since: int = 0) -> dict[str, Reading]:
    best: dict[str, Reading] = {}
    for reading in readings:
        if reading.taken_at < since:
            continue
        if (old := best.get(reading.gauge)) is None or reading.level_cm > old.level_cm:
            best[reading.gauge] = reading
    return best


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=pathlib.Path, nargs="+")
    parser.add_argument("--since", type=int, default=0, metavar="SECONDS")
    args = parser.parse_args(argv)
    readings = [Reading.parse(line) for path in args.log for line in path.open()]
    for gauge, reading in sorted(highest(readings, args.since).items()):
        print(f"{gauge:<12}{reading.level_cm:>8.1f} cm  at {reading.taken_at}")
    return 0 if readings else 1


if __name__ == "__main__":
    sys.exit(main())
