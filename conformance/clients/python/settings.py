"""Every setting: written, read back, reset, through its own route and through that of all."""

import re

from meilisearch.models.embedders import UserProvidedEmbedder
from pydantic import BaseModel
from suite import LIBRARY, equal

# Methods that are not called as their setting is.
NAMES = {"pagination": "pagination_settings", "faceting": "faceting_settings", "facetSearch": "facet_search_settings"}


def method_name(setting: str) -> str:
    return NAMES.get(setting) or re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), setting)


def plain(value):
    """What a method answers, as JSON has it: models of this client leave `None` where nothing is set."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_none=True)
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return value


def cases(suite, context):
    for setting, values in LIBRARY["settings"].items():
        one_setting(suite, context, setting, values)

    @suite.case("Index.get_settings", "Index.update_settings", "Index.reset_settings")
    def _():
        context.client.update_experimental_features({"foreignKeys": False})
        table = {name: values for name, values in LIBRARY["settings"].items() if name != "foreignKeys"}
        defaults = {name: values["default"] for name, values in table.items()}
        index = context.empty_index()
        equal(index.get_settings(), defaults)
        context.succeeded(index.update_settings({name: values["write"] for name, values in table.items()}))
        equal(
            plain(index.get_settings()), {name: values.get("read", values["write"]) for name, values in table.items()}
        )
        context.succeeded(index.reset_settings())
        equal(index.get_settings(), defaults)


def one_setting(suite, context, setting, values):
    name = method_name(setting)
    get, update, reset = f"get_{name}", f"update_{name}", f"reset_{name}"

    @suite.case(f"Index.{get}", f"Index.{update}", f"Index.{reset}")
    def _():
        if setting == "foreignKeys":
            context.enable("foreignKeys")
        index = context.empty_index()
        equal(read(index, get, setting), values["default"])
        context.succeeded(getattr(index, update)(values["write"]))
        equal(read(index, get, setting), values.get("read", values["write"]))
        context.succeeded(getattr(index, reset)())
        equal(read(index, get, setting), values["default"])


def read(index, get: str, setting: str):
    answer = getattr(index, get)()
    if setting != "embedders":
        return plain(answer)
    if answer is None:
        return {}
    assert all(isinstance(embedder, UserProvidedEmbedder) for embedder in answer.embedders.values())
    return plain(answer.embedders)
