"""Every tool of the PyPI package `meilisearch-mcp`, called over its standard input and output as an
assistant calls it."""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))
# This folder must not hide the package that it is named after.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent.parent]

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from suite import MASTER_KEY, URL, Suite

import tools


async def main() -> None:
    suite = Suite("PyPI meilisearch-mcp", "meilisearch-mcp")
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "meilisearch_mcp"],
        env={"PATH": os.environ["PATH"], "MEILI_HTTP_ADDR": URL, "MEILI_MASTER_KEY": MASTER_KEY},
    )
    # What the server logs of each call is of no interest here.
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(server, errlog=nowhere)) as client:
            suite.expect(*(tool.name for tool in (await client.list_tools()).tools))
            tools.cases(suite, tools.Caller(suite, client))
            await suite.run()


asyncio.run(main())
