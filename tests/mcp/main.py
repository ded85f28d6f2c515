"""What a client of the official SDK sees of /mcp, in both eras of the protocol and under keys."""

import asyncio
import sys
import warnings
from contextlib import asynccontextmanager
from pathlib import Path

# The folder above has the name of the package.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent.parent]

import httpx2
from library import MASTER_KEY, URL, Library
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
SEARCHES = ["search", "multi_search", "facet_search", "similar_documents"]

# Arguments for each tool, and what a part of its answer must be.
CALLS = {
    "list_indexes": ({}, lambda found: [index["uid"] for index in found["results"]], ["books", "teas"]),
    "get_settings": ({"indexUid": "books"}, lambda found: found["sortableAttributes"], ["year"]),
    "get_index_stats": ({"indexUid": "books"}, lambda found: found["numberOfDocuments"], 3),
    "search": ({"indexUid": "books", "q": "salt", "sort": ["year:desc"]}, lambda found: ids(found), [2, 1]),
    "multi_search": (
        {"queries": [{"indexUid": "books", "q": "salt"}, {"indexUid": "teas", "q": "salt"}], "federation": {}},
        lambda found: len(found["hits"]),
        3,
    ),
    "facet_search": (
        {"indexUid": "books", "facetName": "genre", "facetQuery": "nov"},
        lambda found: found["facetHits"],
        [{"value": "novel", "count": 1}],
    ),
    "similar_documents": ({"indexUid": "books", "id": 1, "embedder": "hand"}, lambda found: ids(found), [3, 2]),
    "get_document": (
        {"indexUid": "books", "id": 2, "fields": ["title"]},
        lambda found: found,
        {"title": "Salt and Ash"},
    ),
    "list_documents": (
        {"indexUid": "books", "filter": "genre = craft", "fields": ["id"]},
        lambda found: found["results"],
        [{"id": 3}],
    ),
}


def ids(found: dict) -> list[int]:
    return [hit["id"] for hit in found["hits"]]


def equal(found, expected) -> None:
    assert found == expected, f"{found!r} is not {expected!r}"


@asynccontextmanager
async def connected(key: str | None, mode: str = "auto"):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode) as client:
            yield client


async def every_tool(mode: str) -> None:
    async with connected(MASTER_KEY, mode) as client:
        equal(client.protocol_version, ERAS[mode])
        equal(client.server_info.name, "sonde")
        assert "list_indexes" in client.instructions
        if mode == "legacy":
            with warnings.catch_warnings(category=MCPDeprecationWarning, action="ignore"):
                await client.send_ping()
        tools = (await client.list_tools()).tools
        equal([tool.name for tool in tools], list(CALLS))
        for tool in tools:
            arguments, part, expected = CALLS[tool.name]
            result = await client.call_tool(tool.name, arguments)
            assert not result.is_error, result
            equal(part(result.structured_content), expected)
            assert result.content[0].type == "text" and result.content[0].text.startswith("{")


async def mistakes(mode: str) -> None:
    async with connected(MASTER_KEY, mode) as client:
        result = await client.call_tool("search", {"indexUid": "books", "filter": "title = x"})
        assert result.is_error, result
        equal(result.structured_content["code"], "invalid_search_filter")
        assert "`title` is not filterable" in result.content[0].text
        result = await client.call_tool("get_document", {"indexUid": "none", "id": 1})
        equal((result.is_error, result.structured_content["code"]), (True, "index_not_found"))
        for wrong in (client.call_tool("delete_index", {"indexUid": "books"}), client.list_tools(cursor="x")):
            try:
                await wrong
            except MCPError as error:
                equal(error.code, -32602)
            else:
                raise AssertionError("nothing was raised")


async def rights(mode: str, library: Library) -> None:
    async with connected(library.key(["search"], ["books"]), mode) as client:
        equal([tool.name for tool in (await client.list_tools()).tools], SEARCHES)
        equal(ids((await client.call_tool("search", {"indexUid": "books", "q": "rope"})).structured_content), [3])
        for name, arguments in (("search", {"indexUid": "teas"}), ("get_settings", {"indexUid": "books"})):
            result = await client.call_tool(name, arguments)
            equal((result.is_error, result.structured_content["code"]), (True, "invalid_api_key"))
    async with connected(library.token({"books": {"filter": "genre = novel"}}), mode) as client:
        equal([tool.name for tool in (await client.list_tools()).tools], SEARCHES)
        equal(ids((await client.call_tool("search", {"indexUid": "books", "q": "salt"})).structured_content), [2])
    for key in (None, "wrong", library.key(["tasks.get"], ["*"])):
        try:
            async with connected(key, mode):
                raise AssertionError(f"{key} was let in")
        except* MCPError:
            pass


async def main() -> None:
    library = Library()
    library.fill()
    for mode in ERAS:
        await every_tool(mode)
        await mistakes(mode)
        await rights(mode, library)
        print(f"mcp, {ERAS[mode]}: {len(CALLS)} tools called, mistakes and rights checked", flush=True)


asyncio.run(main())
