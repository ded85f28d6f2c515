"""One case for each tool, in the order in which an assistant would use them."""

import asyncio
import json

from meilisearch import Client
from suite import BOOKS_WITH_VECTORS, LIBRARY, MASTER_KEY, OTHER_URL, PROVIDER_URL, URL, equal

# The tools read a document whose member begins with `_` as that member.
PLAIN_BOOKS = [{name: value for name, value in book.items() if name != "_geo"} for book in BOOKS_WITH_VECTORS]


class Caller:
    def __init__(self, suite, client):
        self.suite = suite
        self.client = client

    async def result(self, tool: str, **arguments):
        self.suite.note_call(tool)
        return await self.client.call_tool(tool, arguments)

    async def call(self, tool: str, **arguments) -> dict:
        """The structured answer of a tool, or its text where it has none."""
        result = await self.result(tool, **arguments)
        text = result.content[0].text
        assert not result.is_error, text
        return result.structured_content or {"text": text}

    async def done(self, tool: str, **arguments) -> dict:
        """The finished task of a tool that writes."""
        answer = await self.call(tool, **arguments)
        return await self.finished(answer["task_uid"])

    async def finished(self, uid: int) -> dict:
        for _ in range(3000):
            task = await self.call("get-task", taskUid=uid)
            if task["status"] not in ("enqueued", "processing"):
                equal((task["status"], task["error"]), ("succeeded", None))
                return task
            await asyncio.sleep(0.02)
        raise AssertionError(f"task {uid} does not end")


def cases(suite, tool: Caller) -> None:
    connection_cases(suite, tool)
    index_cases(suite, tool)
    search_cases(suite, tool)
    task_cases(suite, tool)
    key_cases(suite, tool)
    figure_cases(suite, tool)
    chat_cases(suite, tool)


def connection_cases(suite, tool):
    @suite.case("health-check")
    async def _():
        equal(await tool.call("health-check"), {"text": "Meilisearch is available"})

    @suite.case("get-version")
    async def _():
        equal(sorted(await tool.call("get-version")), ["commitDate", "commitSha", "pkgVersion"])

    @suite.case("get-connection-settings", "update-connection-settings")
    async def _():
        await tool.call("update-connection-settings", url=OTHER_URL)
        assert OTHER_URL in (await tool.call("get-connection-settings"))["text"]
        equal((await tool.call("list-indexes"))["total"], 0)
        await tool.call("update-connection-settings", url=URL)
        assert URL in (await tool.call("get-connection-settings"))["text"]


def index_cases(suite, tool):
    @suite.case("create-index", "list-indexes")
    async def _():
        await tool.done("create-index", uid="books", primaryKey="id")
        await tool.done("create-index", uid="spare")
        listed = await tool.call("list-indexes")
        equal(
            [(index["uid"], index["primaryKey"]) for index in listed["results"]], [("books", "id"), ("spare", None)]
        )

    @suite.case("update-settings", "get-settings")
    async def _():
        await tool.done("update-settings", indexUid="books", settings=LIBRARY["searchSettings"])
        settings = await tool.call("get-settings", indexUid="books")
        equal(settings["sortableAttributes"], ["_geo", "pages", "year"])

    @suite.case("add-documents", "get-documents")
    async def _():
        task = await tool.done("add-documents", indexUid="books", documents=PLAIN_BOOKS, primaryKey="id")
        equal(task["details"]["indexedDocuments"], 6)
        page = await tool.call("get-documents", indexUid="books", offset=1, limit=2)
        equal((page["total"], [book["id"] for book in page["results"]]), (6, [2, 3]))

    @suite.case("delete-index")
    async def _():
        await tool.call("delete-index", uid="spare")
        newest = (await tool.call("get-tasks", limit=1))["results"][0]
        await tool.finished(newest["uid"])
        equal((await tool.call("list-indexes"))["total"], 1)


def search_cases(suite, tool):
    @suite.case("search")
    async def _():
        found = await tool.call(
            "search", query="harbour", indexUid="books", filter="year > 2005", sort=["year:asc"], limit=5, offset=0
        )
        equal([hit["id"] for hit in found["hits"]], [4])
        everywhere = await tool.call("search", query="owls")
        equal([hit["id"] for hit in everywhere["results"]["books"]["hits"]], [3])
        hybrid = {"embedder": "manual", "semanticRatio": 0.0}
        equal(len((await tool.call("search", query="owls", indexUid="books", hybrid=hybrid))["hits"]), 1)


def task_cases(suite, tool):
    @suite.case("get-task", "get-tasks")
    async def _():
        listed = await tool.call(
            "get-tasks", indexUids=["books"], types=["documentAdditionOrUpdate"], statuses=["succeeded"]
        )
        equal(len(listed["results"]), 1)
        task = await tool.call("get-task", taskUid=listed["results"][0]["uid"])
        equal((task["type"], task["index_uid"]), ("documentAdditionOrUpdate", "books"))

    @suite.case("cancel-tasks")
    async def _():
        task = await tool.done("cancel-tasks", uids="0,1")
        equal((task["details"]["matchedTasks"], task["details"]["canceledTasks"]), (2, 0))


def key_cases(suite, tool):
    @suite.case("create-key", "get-keys", "delete-key")
    async def _():
        made = await tool.call("create-key", actions=["search"], indexes=["books"], description="For a case")
        keys = await tool.call("get-keys", limit=100)
        assert made["key"] in [key["key"] for key in keys["results"]]
        await tool.call("delete-key", key=made["key"])
        keys = await tool.call("get-keys", offset=0, limit=100)
        assert made["key"] not in [key["key"] for key in keys["results"]]


def figure_cases(suite, tool):
    @suite.case("get-stats", "get-system-info")
    async def _():
        equal((await tool.call("get-stats"))["indexes"]["books"]["numberOfDocuments"], 6)
        info = await tool.call("get-system-info")
        assert info["database_size"] > 0 and info["version"]["pkgVersion"]

    @suite.refused("get-health-status", "the package takes the page of indexes for the list of them")
    async def _():
        assert (await tool.result("get-health-status")).is_error

    @suite.refused("get-index-metrics", "the package takes an object of its client for a dictionary")
    async def _():
        assert (await tool.result("get-index-metrics", indexUid="books")).is_error


def chat_cases(suite, tool):
    @suite.case("update-chat-workspace-settings", "get-chat-workspace-settings", "get-chat-workspaces")
    async def _():
        enable_chats()
        settings = {"source": "vLlm", "baseUrl": PROVIDER_URL, "apiKey": "a-secret-api-key"}
        updated = await tool.call("update-chat-workspace-settings", workspace_uid="desk", settings=settings)
        equal((updated["source"], updated["apiKey"]), ("vLlm", "a-XXXX..."))
        equal(await tool.call("get-chat-workspace-settings", workspace_uid="desk"), updated)
        equal((await tool.call("get-chat-workspaces", limit=5))["results"], [{"uid": "desk"}])

    @suite.case("create-chat-completion")
    async def _():
        messages = [{"role": "user", "content": "How is the harbour?"}]
        answer = await tool.call("create-chat-completion", workspace_uid="desk", messages=messages, model="small")
        assert answer["text"].endswith("The harbour is quiet."), json.dumps(answer)


def enable_chats() -> None:
    """No tool switches features on."""
    Client(URL, MASTER_KEY).update_experimental_features({"chatCompletions": True})
