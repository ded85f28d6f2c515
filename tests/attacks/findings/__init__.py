"""The findings of the security review, one file each, and every one as tests."""

import importlib
import pkgutil


def load() -> None:
    """Imports every file here, which registers its attacks."""
    for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
