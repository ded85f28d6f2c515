"""Every setting: written, read back, reset, through its own route and through that of all."""

import re

from meilisearch_python_sdk.models.settings import (
    Embedders,
    Faceting,
    ForeignKey,
    LocalizedAttributes,
    MeilisearchSettings,
    Pagination,
    ProximityPrecision,
    TypoTolerance,
    UserProvidedEmbedder,
)
from pydantic import BaseModel

from context import now
from suite import LIBRARY, equal

NAMES = {"dictionary": "word_dictionary"}
# How a setting is given to its method, where that is not as JSON has it.
MODELS = {
    "typoTolerance": lambda value: TypoTolerance(**value),
    "faceting": lambda value: Faceting(**value),
    "pagination": lambda value: Pagination(**value),
    "proximityPrecision": ProximityPrecision,
    "embedders": lambda value: Embedders(
        embedders={name: UserProvidedEmbedder(**each) for name, each in value.items()}
    ),
    "localizedAttributes": lambda value: [LocalizedAttributes(**each) for each in value],
    "foreignKeys": lambda value: [ForeignKey(**each) for each in value],
}


def method_name(setting: str) -> str:
    return NAMES.get(setting) or re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), setting)


def plain(value):
    """What a method answers, as JSON has it."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_none=True)
    if isinstance(value, list):
        return [plain(element) for element in value]
    return value


def cases(suite, context):
    for setting, values in LIBRARY["settings"].items():
        one_setting(suite, context, setting, values)

    @suite.case("Index.get_settings", "Index.update_settings", "Index.reset_settings")
    async def _():
        await now(context.client.update_experimental_features({"foreignKeys": False}))
        table = {name: values for name, values in LIBRARY["settings"].items() if name != "foreignKeys"}
        # This client leaves out what is null.
        defaults = {name: values["default"] for name, values in table.items() if values["default"] is not None}
        index = await context.index([])
        equal(plain(await now(index.get_settings())), defaults)
        written = {name: values["write"] for name, values in table.items()}
        await context.succeeded(index.update_settings(MeilisearchSettings(**written)))
        read = {name: values.get("read", values["write"]) for name, values in table.items()}
        equal(plain(await now(index.get_settings())), read)
        await context.succeeded(index.reset_settings())
        equal(plain(await now(index.get_settings())), defaults)


def one_setting(suite, context, setting, values):
    name = method_name(setting)
    get, update, reset = f"get_{name}", f"update_{name}", f"reset_{name}"

    @suite.case(f"Index.{get}", f"Index.{update}", f"Index.{reset}")
    async def _():
        if setting == "foreignKeys":
            await context.enable("foreignKeys")
        index = await context.index([])

        async def check(expected) -> None:
            answer = plain(await now(getattr(index, get)()))
            # Empty collections and embedders come as nothing from some methods.
            if setting == "embedders" and answer:
                answer = answer["embedders"]
            equal(answer or None, expected or None)

        await check(values["default"])
        written = MODELS.get(setting, lambda value: value)(values["write"])
        await context.succeeded(getattr(index, update)(written, compress=True))
        await check(values.get("read", values["write"]))
        await context.succeeded(getattr(index, reset)())
        await check(values["default"])
