"""What a cut must not do, counted over many cuts of the same conversation."""

import statistics


def broken(lines, moment, kept):
    """The rules that a cut breaks. `kept` are the places of the messages that are left of the first `moment`."""
    places = set(kept)
    makers = {call["id"]: at for at, line in enumerate(lines[:moment]) for call in line.get("calls", [])}
    rules = set()
    for at, line in enumerate(lines[:moment]):
        if line["role"] == "tool" and (at in places) != (makers[line["call_id"]] in places):
            rules.add("parted")
    if 0 not in places:
        rules.add("system")
    newest = max(at for at in range(moment) if lines[at]["role"] == "user")
    if newest not in places:
        rules.add("question")
    first = min((at for at in places if at != 0), default=None)
    if first is None or lines[first]["role"] != "user":
        rules.add("inside")
    return rules


def count(data, tokens, cuts):
    """How many cuts break each rule, and the tokens that are left: the least, the middle and the most."""
    lines = data["messages"]
    found = [broken(lines, moment, kept) for moment, kept in cuts]
    left = sorted(sum(tokens[at] for at in kept) for _, kept in cuts)
    return {
        "cuts": len(cuts),
        **{rule: sum(rule in rules for rules in found) for rule in ("parted", "system", "question", "inside")},
        "over": sum(each > data["budget"] for each in left),
        "tokens": (left[0], int(statistics.median(left)), left[-1]),
    }
