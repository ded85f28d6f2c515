"""Every option of the crate `meilisearch-importer`, a command that sends files in batches."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "shared"))

from suite import Suite

import options

IMPORTER = os.environ["IMPORTER"]




def options_of(command: str) -> list[str]:
    shown = subprocess.run([command, "--help"], check=True, capture_output=True, text=True).stdout
    return [option for option in re.findall(r"^\s+(?:-\w, )?(--[a-z-]+)", shown, re.MULTILINE) if option != "--help"]


suite = Suite("crate meilisearch-importer", version_text=os.environ["IMPORTER_VERSION"])
suite.expect(*options_of(IMPORTER))
options.cases(suite, options.Import(suite, IMPORTER))
asyncio.run(suite.run())
