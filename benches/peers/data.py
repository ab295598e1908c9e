"""Makes the conversation that every peer is given: the same one each time.

A system prompt, then turns: a person asks, the model calls tools in a few steps, often several at
once, and answers. One turn in fifty is long: it alone is over the budget of the cut.
"""

import json
import random

SEED = 20261130
SIZES = [1_000, 3_000, 10_000, 100_000]
BUDGET = 4_000
MOMENTS = 100
# As many messages as the budget has room for on average, for peers that count messages.
WINDOW = 43

WORDS = """
the a of to and in that it is was for on are with as by at from or an be this which not but they have had one all
their there been if more when will would who what so up out about into than them can only other new some could time
these two may then do first any my now such like our over me even most made after also did many before must through
where much your way well down should because each just those people how too little state good very make world still
see own work long here both between being under never day same another know while last might us great old year off
come since against go came right used take three invoice report customer account payment shipment order quarter
meeting release server database index query table column schema migration backup restore latency request response
timeout retry queue worker thread process memory budget token window summary boundary session message event version
branch commit review test failure error warning trace profile cache lookup parser lexer compiler linker function
""".split()
TOOLS = ["read_file", "search_code", "run_tests", "query_orders", "list_folder", "fetch_page"]


class Writer:
    def __init__(self):
        self.random = random.Random(SEED)
        self.messages = []
        self.turns = 0

    def words(self, low, high):
        words = self.random.choices(WORDS, k=self.random.randint(low, high))
        for at in range(0, len(words), 11):
            words[at] = words[at].capitalize()
        for at in range(10, len(words), 11):
            words[at] += "."
        return " ".join(words)

    def add(self, role, text, **more):
        self.messages.append({"role": role, "text": text, **more})

    def result(self):
        kind = self.random.randrange(3)
        if kind == 0:
            return self.words(10, 160)
        if kind == 1:
            rows = [
                {"id": self.random.randrange(10**6), "state": self.random.choice(WORDS), "total": self.random.random()}
                for _ in range(self.random.randint(1, 12))
            ]
            return json.dumps(rows)
        lines = [
            f"    let {self.random.choice(WORDS)}_{line} = {self.random.choice(WORDS)}({self.random.randrange(999)});"
            for line in range(self.random.randint(2, 24))
        ]
        return "\n".join(lines)

    def step(self):
        calls = []
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            arguments = {"path": f"src/{self.random.choice(WORDS)}/{self.random.choice(WORDS)}.rs", "limit": 100}
            call = f"call_{len(self.messages)}_{len(calls)}"
            calls.append({"id": call, "name": self.random.choice(TOOLS), "arguments": json.dumps(arguments)})
        self.add("assistant", self.random.choice(["", self.words(5, 25)]), calls=calls)
        for call in calls:
            self.add("tool", self.result(), call_id=call["id"], name=call["name"])

    def turn(self):
        self.turns += 1
        self.add("user", self.words(8, 60))
        steps = self.random.randint(20, 30) if self.turns % 50 == 0 else self.random.randrange(5)
        for _ in range(steps):
            self.step()
        self.add("assistant", self.words(20, 120))


def is_moment(messages, length):
    """Whether the model is called after so many messages: what it is shown ends with a question or all results."""
    next_role = messages[length]["role"]
    return messages[length - 1]["role"] in ("user", "tool") and next_role == "assistant"


def make():
    writer = Writer()
    writer.add("system", "You are a careful engineer. " + writer.words(150, 150))
    while len(writer.messages) <= max(SIZES):
        writer.turn()
    messages = writer.messages
    moments = [length for length in range(1, len(messages)) if is_moment(messages, length)]
    early = [length for length in moments if 300 <= length <= SIZES[0]]
    return {
        "budget": BUDGET,
        "window": WINDOW,
        "messages": messages,
        # Each size is the longest beginning, up to that many messages, at whose end the model is called.
        "sizes": [max(length for length in moments if length <= size) for size in SIZES],
        "moments": [early[at * len(early) // MOMENTS] for at in range(MOMENTS)],
    }

