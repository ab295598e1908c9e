"""Prints what was measured: a table of the cut, one of its rules, one of storage, and the targets."""

import math
import statistics

import rules

KEPT_UP = "ours, outline kept up to date"
SCRATCH = "ours, outline from scratch"
COUNTED = "ours, every text counted (o200k_base)"
NORMAL = "ours, `synchronous=NORMAL`"
FULL = "ours, `synchronous=FULL`"
LANGCHAIN = "LangChain `trim_messages`, tiktoken"
PYTHON = "Python `sqlite3` loop, `synchronous=NORMAL`"
OPENAI = "OpenAI Agents `SQLiteSession`"


def time(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:,.{0 if seconds * factor >= 100 else 1}f} {unit}"
    return f"{seconds * 1e9:,.0f} ns"


def times(ratio):
    """A ratio in as many digits as it is worth."""
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}" if ratio >= 0.01 else "< 0.01"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] + ["---:"] * (len(cells) - 1))


class Results:
    def __init__(self, data, lines):
        self.data = data
        self.versions = {line["peer"]: line["version"] for line in lines if "version" in line}
        self.not_run = [(line["peer"], line["why"]) for line in lines if line["table"] == "not run"]
        self.tokens = next((line["tokens"] for line in lines if line["table"] == "tokens"), None)
        self.kept = {line["peer"]: line["kept"] for line in lines if line["table"] == "kept"}
        self.cuts = {}
        stores = {}
        for line in lines:
            if line["table"] == "cut":
                self.cuts.setdefault(line["peer"], {})[line["size"]] = line["seconds"]
            if line["table"] == "store":
                stores.setdefault((line["peer"], line["what"]), []).append(line)
        # The middle one of several runs.
        middle = lambda lines, of: statistics.median(line[of] for line in lines)
        self.stores = {
            key: {"events": lines[0]["events"], "wall": middle(lines, "wall"), "cpu": middle(lines, "cpu")}
            for key, lines in stores.items()
        }

    def print(self):
        if self.cuts:
            self.print_cuts()
        if self.kept and self.tokens:
            self.print_rules()
        if self.stores:
            self.print_stores()
        for peer, why in self.not_run:
            print(f"- {peer}: not run: {why}")
        print()
        self.print_targets()

    def print_cuts(self):
        sizes = self.data["sizes"]
        print(f"Cut to {self.data['budget']:,} tokens, processor time. × is how many times as long as ours, at the")
        print("largest size of the peer.\n")
        lengths = [f"{size:,}" for size in sizes]
        head("peer", "version", *lengths, "growth", "× kept up to date", "× from scratch", "× counted")
        for peer, cut in self.cuts.items():
            largest = max(cut)
            against = lambda ours: times(cut[largest] / self.cuts[ours][largest]) if ours in self.cuts else "?"
            figures = [time(cut[size]) if size in cut else "-" for size in sizes]
            row(peer, self.versions[peer], *figures, growth(cut), *map(against, (KEPT_UP, SCRATCH, COUNTED)))
        print()

    def print_rules(self):
        moments = self.data["moments"]
        print(f"What is left, at {len(moments)} moments between message {moments[0]} and {moments[-1]} at which the")
        print("model is called: how many of the cuts break a rule. Tokens are those of `o200k_base`.\n")
        wrong = ["parts a call from its result", "loses the system prompt", "loses the newest question"]
        head("peer", *wrong, "begins inside a turn", "over the budget", "tokens left: least, middle, most")
        for peer, kept in self.kept.items():
            found = rules.count(self.data, self.tokens, kept)
            tokens = ", ".join(f"{each:,}" for each in found["tokens"])
            row(peer, found["parted"], found["system"], found["question"], found["inside"], found["over"], tokens)
        print()

    def print_stores(self):
        print("Storage, an event or a load, on the wall and on the processors. × is how many times as long as ours")
        print("with `synchronous=NORMAL`, on the wall.\n")
        columns = ["append", "processor", "×", "load 100", "processor", "×", "index, an event"]
        head("peer", "version", "events", *columns)
        for peer in dict.fromkeys(peer for peer, _ in self.stores):
            cells = []
            for what in ("append", "load"):
                figure, ours = self.stores.get((peer, what)), self.stores.get((NORMAL, what))
                if figure is None:
                    cells += ["-", "-", "-"]
                    continue
                ratio = times(figure["wall"] / ours["wall"]) if ours else "?"
                cells += [time(figure["wall"]), time(figure["cpu"]), ratio]
            index = self.stores.get((peer, "index"))
            events = self.stores[peer, "append"]["events"]
            row(peer, self.versions[peer], f"{events:,}", *cells, time(index["wall"]) if index else "-")
        print()

    def print_targets(self):
        largest = max(self.data["sizes"])
        peers = [cut[largest] for peer, cut in self.cuts.items() if not peer.startswith("ours") and largest in cut]
        fastest = min(peers, default=None)
        cut = lambda peer: self.cuts.get(peer, {}).get(largest)
        append = lambda peer, of: self.stores.get((peer, "append"), {}).get(of)
        load = lambda peer, of: self.stores.get((peer, "load"), {}).get(of)
        head("target", "at least", "measured", "")
        for what, least, theirs, ours in (
            (f"{largest:,} messages, outline kept up to date, against the fastest peer", 1_000, fastest, cut(KEPT_UP)),
            ("the same, outline from scratch", 50, fastest, cut(SCRATCH)),
            ("the same, counting included, against LangChain with tiktoken", 10, cut(LANGCHAIN), cut(COUNTED)),
            ("an append, against the Python loop, both `NORMAL`", 1, append(PYTHON, "wall"), append(NORMAL, "wall")),
            ("the same, processor", 1, append(PYTHON, "cpu"), append(NORMAL, "cpu")),
            ("an append, against OpenAI Agents, as each comes", 10, append(OPENAI, "wall"), append(NORMAL, "wall")),
            ("the same, both `FULL`", 10, append(OPENAI, "wall"), append(FULL, "wall")),
            ("the same, both `FULL`, processor", 10, append(OPENAI, "cpu"), append(FULL, "cpu")),
            ("loading 100, against OpenAI Agents", 10, load(OPENAI, "wall"), load(NORMAL, "wall")),
            ("the same, processor", 10, load(OPENAI, "cpu"), load(NORMAL, "cpu")),
        ):
            if theirs is None or ours is None:
                row(what, f"{least:,} ×", "", "not run")
                continue
            verdict = "met" if theirs / ours >= least else "MISSED"
            row(what, f"{least:,} ×", f"{times(theirs / ours)} ×", verdict)


def growth(cut):
    """By which power of the length the time grows, between the two largest sizes."""
    sizes = sorted(cut)[-2:]
    if len(sizes) < 2:
        return "-"
    power = math.log(cut[sizes[1]] / cut[sizes[0]]) / math.log(sizes[1] / sizes[0])
    return f"n^{power:.1f}"
