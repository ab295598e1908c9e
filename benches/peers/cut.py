"""Cuts the conversation with one Python project, named on the command line, and prints a line of JSON a figure.

`cut.py PEER DATA`. A peer is a function that gives a `Cutter`: how its messages are made of ours, what is done with
them, and how a message that was kept is known again.
"""

import asyncio
import importlib.metadata
import json
import logging
import statistics
import sys
import time
import warnings
from dataclasses import dataclass
from typing import Any, Callable

#: A size is left out when one run of it would take longer than so many seconds.
PATIENCE = 30.0


@dataclass
class Cutter:
    package: str
    #: The peer's messages of ours; made afresh for each run, since some write into them. Not in the figures.
    prepare: Callable[[list], Any]
    #: What is measured. It gives the messages that are kept.
    cut: Callable[[Any], list]
    #: The places of a kept message among all: more than one where the peer merges messages, none for a summary.
    places: Callable[[Any], list[int]]
    #: Whether the system prompt is no message but an instruction kept apart, which no cut can lose.
    is_system_apart: bool = False


def langchain(data, counter):
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages

    def message(at, line):
        role, text = line["role"], line["text"]
        if role == "tool":
            return ToolMessage(text, tool_call_id=line["call_id"], name=line["name"], id=str(at))
        if role == "assistant":
            calls = [
                {"id": call["id"], "name": call["name"], "args": json.loads(call["arguments"])}
                for call in line.get("calls", [])
            ]
            return AIMessage(text, tool_calls=calls, id=str(at))
        return (SystemMessage if role == "system" else HumanMessage)(text, id=str(at))

    def cut(messages):
        # As the documentation says for a chat history with tools.
        return trim_messages(
            messages,
            max_tokens=data["budget"],
            token_counter=counter,
            strategy="last",
            start_on="human",
            include_system=True,
        )

    prepare = lambda lines: [message(at, line) for at, line in enumerate(lines)]
    return Cutter("langchain-core", prepare, cut, lambda message: [int(message.id)])


def langchain_tiktoken(data):
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")

    def tokens(message):
        count = 3 + len(encoding.encode_ordinary(message.content))
        for call in getattr(message, "tool_calls", ()):
            count += len(encoding.encode_ordinary(call["name"])) + len(encoding.encode_ordinary(str(call["args"])))
        return count

    return langchain(data, lambda messages: sum(map(tokens, messages)))


def langchain_approximate(data):
    return langchain(data, "approximate")


def agent_framework(data, strategy):
    from agent_framework import Content, Message, apply_compaction

    def message(at, line):
        contents = [Content.from_text(line["text"])] if line["text"] and line["role"] != "tool" else []
        for call in line.get("calls", []):
            contents.append(Content.from_function_call(call["id"], call["name"], arguments=call["arguments"]))
        if line["role"] == "tool":
            contents.append(Content.from_function_result(line["call_id"], result=line["text"]))
        return Message(line["role"], contents, message_id=str(at))

    loop = asyncio.new_event_loop()
    cut = lambda messages: loop.run_until_complete(apply_compaction(messages, strategy=strategy))
    prepare = lambda lines: [message(at, line) for at, line in enumerate(lines)]
    return Cutter("agent-framework-core", prepare, cut, lambda message: [int(message.message_id)])


def agent_framework_sliding(data):
    from agent_framework import SlidingWindowStrategy

    # A call and its results are one group.
    groups = sum(line["role"] != "tool" for line in data["messages"])
    room = data["window"] * groups // len(data["messages"])
    return agent_framework(data, SlidingWindowStrategy(keep_last_groups=room))


def agent_framework_truncation(data):
    from agent_framework import CharacterEstimatorTokenizer, TruncationStrategy

    budget = data["budget"]
    strategy = TruncationStrategy(max_n=budget, compact_to=budget, tokenizer=CharacterEstimatorTokenizer())
    return agent_framework(data, strategy)


def llama_index(data):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import ChatMemoryBuffer

    def message(at, line):
        more = {"at": at}
        if line["role"] == "tool":
            more["tool_call_id"] = line["call_id"]
        if line.get("calls"):
            more["tool_calls"] = line["calls"]
        return ChatMessage(content=line["text"], role=line["role"], additional_kwargs=more)

    def prepare(lines):
        history = [message(at, line) for at, line in enumerate(lines)]
        # Only the length of what this gives is used: a quarter of the characters.
        tokenizer = lambda text: range(len(text) // 4)
        return ChatMemoryBuffer.from_defaults(history, token_limit=data["budget"], tokenizer_fn=tokenizer)

    places = lambda message: [message.additional_kwargs["at"]]
    return Cutter("llama-index-core", prepare, lambda memory: memory.get(), places)


def semantic_kernel(data):
    from semantic_kernel.contents import (
        ChatHistoryTruncationReducer,
        ChatMessageContent,
        FunctionCallContent,
        FunctionResultContent,
        TextContent,
    )

    def message(at, line):
        items = [TextContent(text=line["text"])] if line["text"] and line["role"] != "tool" else []
        for call in line.get("calls", []):
            items.append(FunctionCallContent(id=call["id"], name=call["name"], arguments=call["arguments"]))
        if line["role"] == "tool":
            items.append(FunctionResultContent(id=line["call_id"], name=line["name"], result=line["text"]))
        return ChatMessageContent(role=line["role"], items=items, metadata={"at": at})

    def prepare(lines):
        history = [message(at, line) for at, line in enumerate(lines)]
        return ChatHistoryTruncationReducer(messages=history, target_count=data["window"], threshold_count=10)

    loop = asyncio.new_event_loop()

    def cut(history):
        loop.run_until_complete(history.reduce())
        return history.messages

    return Cutter("semantic-kernel", prepare, cut, lambda message: [message.metadata["at"]])


def google_adk(data):
    from google.adk.apps.compaction import _events_to_compact_for_token_threshold
    from google.adk.events import Event, EventActions
    from google.adk.events.event_actions import EventCompaction
    from google.adk.flows.llm_flows.contents import _get_contents
    from google.genai import types

    def event(at, line):
        parts = [types.Part(text=line["text"])] if line["text"] and line["role"] != "tool" else []
        for call in line.get("calls", []):
            arguments = json.loads(call["arguments"])
            parts.append(types.Part(function_call=types.FunctionCall(id=call["id"], name=call["name"], args=arguments)))
        if line["role"] == "tool":
            response = {"result": line["text"]}
            answer = types.FunctionResponse(id=line["call_id"], name=line["name"], response=response)
            parts.append(types.Part(function_response=answer))
        is_model = line["role"] == "assistant"
        content = types.Content(role="model" if is_model else "user", parts=parts)
        author = "agent" if line["role"] in ("assistant", "tool") else "user"
        return Event(id=str(at), invocation_id=f"i{at}", author=author, timestamp=float(at + 1), content=content)

    def prepare(lines):
        events = [event(at, line) for at, line in enumerate(lines) if line["role"] != "system"]
        covered = _events_to_compact_for_token_threshold(events=events, event_retention_size=data["window"])
        if not covered:
            return events
        summary = types.Content(role="model", parts=[types.Part(text="What was said before.")])
        compaction = EventCompaction(
            start_timestamp=covered[0].timestamp, end_timestamp=covered[-1].timestamp, compacted_content=summary
        )
        actions = EventActions(compaction=compaction)
        events.append(Event(id="c", invocation_id="c", author="user", timestamp=1e9, actions=actions))
        return events

    lines = data["messages"]
    known = {line["text"]: at for at, line in enumerate(lines) if line["text"]}
    known |= {call["id"]: at for at, line in enumerate(lines) for call in line.get("calls", [])}

    def places(content):
        calls = [part.function_call.id for part in content.parts if part.function_call]
        results = [part.function_response.response["result"] for part in content.parts if part.function_response]
        texts = [part.text for part in content.parts if part.text]
        return {known[each] for each in calls + results + texts if each in known}

    return Cutter("google-adk", prepare, lambda events: _get_contents(None, events, "agent"), places, True)


PEERS = {
    "LangChain `trim_messages`, tiktoken": langchain_tiktoken,
    "LangChain `trim_messages`, approximate": langchain_approximate,
    "Microsoft Agent Framework, sliding window": agent_framework_sliding,
    "Microsoft Agent Framework, truncation (characters/4)": agent_framework_truncation,
    "LlamaIndex `ChatMemoryBuffer` (characters/4)": llama_index,
    "Semantic Kernel, truncation reducer": semantic_kernel,
    "Google ADK, contents with one compaction event": google_adk,
}


def seconds(cutter, lines):
    prepared = cutter.prepare(lines)
    begin = time.process_time()
    cutter.cut(prepared)
    return time.process_time() - begin


def main(peer, path):
    with open(path) as file:
        data = json.load(file)
    cutter = PEERS[peer](data)
    version = importlib.metadata.version(cutter.package)
    # Some of them print or log; only figures go to the standard output.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")

    def show(**line):
        print(json.dumps({"peer": peer, "version": f"{cutter.package} {version}", **line}), flush=True)

    seconds(cutter, data["messages"][: data["sizes"][0]])  # imports and caches
    previous = None
    for size in data["sizes"]:
        if previous and previous[1] * (size / previous[0]) ** previous[2] > PATIENCE:
            break
        lines = data["messages"][:size]
        times = [seconds(cutter, lines)]
        while len(times) < 5 and sum(times) < PATIENCE:
            times.append(seconds(cutter, lines))
        took = statistics.median(times)
        show(table="cut", size=size, seconds=took)
        # Growth so far, to guess the next: at worst quadratic until two sizes are known.
        is_steep = previous is None or took / previous[1] > (size / previous[0]) ** 1.5
        previous = (size, took, 2 if is_steep else 1)
    kept = []
    for moment in data["moments"]:
        messages = cutter.cut(cutter.prepare(data["messages"][:moment]))
        places = [place for message in messages for place in cutter.places(message)]
        kept.append((moment, [0, *places] if cutter.is_system_apart else places))
    show(table="kept", kept=kept)


if __name__ == "__main__":
    main(*sys.argv[1:])
