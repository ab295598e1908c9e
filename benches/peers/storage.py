"""Appends events durably, one by one, with one Python project named on the command line, and loads the newest hundred.

`storage.py PEER DATA FOLDER` prints a line of JSON a figure: seconds on the wall and on the processors, an event or a
load.
"""

import asyncio
import importlib.metadata
import json
import logging
import sqlite3
import sys
import time
import warnings

EVENTS = 10_000
SHOWN = 100


class Peer:
    """Stores in SQLite under `path`. Each operation is awaited, as an agent does."""

    package = None
    events = EVENTS
    loads = 200
    #: How often `run` runs it, in turns with the others: disks have good and bad minutes.
    rounds = 1

    async def open(self, path):
        raise NotImplementedError

    def record(self, at, line):
        """What the peer stores for a line of ours; not in the figures."""
        raise NotImplementedError

    async def append(self, record):
        raise NotImplementedError

    async def load(self):
        """The newest hundred."""
        raise NotImplementedError


def chat_items(line):
    """The line as items of OpenAI's API: a call and a result are items of their own."""
    if line["role"] == "tool":
        return [{"type": "function_call_output", "call_id": line["call_id"], "output": line["text"]}]
    items = [{"role": line["role"], "content": line["text"]}] if line["text"] else []
    for call in line.get("calls", []):
        name, arguments = call["name"], call["arguments"]
        items.append({"type": "function_call", "call_id": call["id"], "name": name, "arguments": arguments})
    return items


class Plain(Peer):
    """A loop over Python's `sqlite3`: a row an event, a transaction a row."""

    rounds = 3
    synchronous = "NORMAL"

    async def open(self, path):
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute(f"PRAGMA synchronous = {self.synchronous}")
        columns = "session TEXT, seq INTEGER, record TEXT, PRIMARY KEY (session, seq)"
        self.connection.execute(f"CREATE TABLE event ({columns})")
        self.seq = 0

    def record(self, at, line):
        return line

    async def append(self, record):
        self.seq += 1
        self.connection.execute("INSERT INTO event VALUES (?, ?, ?)", ("one", self.seq, json.dumps(record)))
        self.connection.commit()

    async def load(self):
        newest = "SELECT record FROM event WHERE session = ? ORDER BY seq DESC LIMIT ?"
        rows = self.connection.execute(newest, ("one", SHOWN)).fetchall()
        return [json.loads(record) for (record,) in reversed(rows)]


class PlainFull(Plain):
    events = 3_000
    synchronous = "FULL"


class OpenAIAgents(Peer):
    package = "openai-agents"
    rounds = 3

    async def open(self, path):
        from agents import SQLiteSession

        self.session = SQLiteSession("one", path)

    def record(self, at, line):
        return chat_items(line)

    async def append(self, record):
        await self.session.add_items(record)

    async def load(self):
        return await self.session.get_items(limit=SHOWN)


class GoogleSqlite(Peer):
    package = "google-adk"
    loads = 30

    async def service(self, path):
        from google.adk.sessions.sqlite_session_service import SqliteSessionService

        return SqliteSessionService(path)

    async def open(self, path):
        from google.adk.sessions.base_session_service import GetSessionConfig

        self.sessions = await self.service(path)
        self.session = await self.sessions.create_session(app_name="app", user_id="ann", session_id="one")
        self.newest = GetSessionConfig(num_recent_events=SHOWN)
        # Its times must not lie before that of the session.
        self.begin = time.time() + 1

    def record(self, at, line):
        from google.adk.events import Event
        from google.genai import types

        parts = [types.Part(text=line["text"])] if line["text"] and line["role"] != "tool" else []
        for call in line.get("calls", []):
            arguments = json.loads(call["arguments"])
            parts.append(types.Part(function_call=types.FunctionCall(id=call["id"], name=call["name"], args=arguments)))
        if line["role"] == "tool":
            response = {"result": line["text"]}
            answer = types.FunctionResponse(id=line["call_id"], name=line["name"], response=response)
            parts.append(types.Part(function_response=answer))
        content = types.Content(role="model" if line["role"] == "assistant" else "user", parts=parts)
        return Event(id=str(at), invocation_id="i", author="agent", timestamp=self.begin + at, content=content)

    async def append(self, record):
        await self.sessions.append_event(self.session, record)

    async def load(self):
        session = await self.sessions.get_session(app_name="app", user_id="ann", session_id="one", config=self.newest)
        return session.events


class GoogleDatabase(GoogleSqlite):
    events = 2_000

    async def service(self, path):
        from google.adk.sessions import DatabaseSessionService

        return DatabaseSessionService(f"sqlite+aiosqlite:///{path}")


PEERS = {
    "Python `sqlite3` loop, `synchronous=NORMAL`": Plain,
    "Python `sqlite3` loop, `synchronous=FULL`": PlainFull,
    "OpenAI Agents `SQLiteSession`": OpenAIAgents,
    "Google ADK `SqliteSessionService`": GoogleSqlite,
    "Google ADK `DatabaseSessionService`, SQLite": GoogleDatabase,
}


async def measure(make, lines, path, show):
    peer = make()
    await peer.open(path)
    records = [peer.record(at, line) for at, line in enumerate(lines[: peer.events])]
    begin = time.perf_counter(), time.process_time()
    for record in records:
        await peer.append(record)
    count = len(records)
    show("append", count, (time.perf_counter() - begin[0]) / count, (time.process_time() - begin[1]) / count)
    walls, cpus = [], []
    for _ in range(peer.loads):
        begin = time.perf_counter(), time.process_time()
        shown = await peer.load()
        walls.append(time.perf_counter() - begin[0])
        cpus.append(time.process_time() - begin[1])
        assert len(shown) == SHOWN
    show("load", count, sum(walls) / peer.loads, sum(cpus) / peer.loads)


def main(name, data, folder):
    with open(data) as file:
        lines = json.load(file)["messages"]
    make = PEERS[name]
    version = f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}"
    if make.package:
        version = f"{make.package} {importlib.metadata.version(make.package)}"
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")

    def show(what, events, wall, cpu):
        line = {"table": "store", "peer": name, "version": version}
        print(json.dumps({**line, "what": what, "events": events, "wall": wall, "cpu": cpu}), flush=True)

    asyncio.run(measure(make, lines, f"{folder}/{make.__name__}.db", show))


if __name__ == "__main__":
    main(*sys.argv[1:])
