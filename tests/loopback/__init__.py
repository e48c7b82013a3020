"""
A scripted provider on 127.0.0.1, for tests with real SDKs and frameworks.

It plays Anthropic Messages, OpenAI Chat Completions and Responses, Gemini generateContent and Bedrock
Converse, whole and streamed; which one is told by the path.  The fixture ``loopback`` hands out a server
and points the SDKs' environment variables at it (base URLs, keys, no proxy)::

    def test_a_long_run(loopback):
        loopback.play(agent_run(20))           # asks for the first declared tool 20 times, then answers
        ...                                     # drive any agent: its SDK finds the server by itself
        last = loopback.requests[-1]
        assert last.whole and last.cleared      # tool results as they were, and those a note stands for
        assert last.occurrences(window.instructions()) == 1
        assert prefix_breaks(loopback.requests) <= 3

A script is a list of replies, or a function of the ``Request`` that returns one:

- ``Answer(text, calls, thinking=..., usage=..., stop=..., broken=...)``: text, ``Call``s, or both.
  Usage is counted from the request (all characters in it, by ``characters_per_token`` of ``play``) unless given.
  ``broken`` is the error body that ends a stream half-way.
- ``Refusal(status, body, headers)``: any error.
- ``TooLong(tokens, limit)``: the provider's own words for an overflow.
- ``Raw(content, media_type)``: any bytes under status 200.

``play(script, limit=10_000)`` refuses what the model could not read, as a provider does, without using up a reply.
``agent_run(rounds, tool=..., parallel=..., arguments=..., thinking=..., text=...)`` is the script of an agent run.
A request tells its ``path``, ``headers``, ``body``, ``messages``, ``system``, ``tools``, ``results``, ``whole``,
``cleared``, ``is_streamed``, ``tokens()`` and ``occurrences(text)``.
"""

from loopback.protocol import Result as Result
from loopback.replies import Answer as Answer
from loopback.replies import Call as Call
from loopback.replies import Raw as Raw
from loopback.replies import Refusal as Refusal
from loopback.replies import Reply as Reply
from loopback.replies import TooLong as TooLong
from loopback.replies import Usage as Usage
from loopback.scripts import agent_run as agent_run
from loopback.scripts import prefix_breaks as prefix_breaks
from loopback.server import Loopback as Loopback
from loopback.server import Request as Request
