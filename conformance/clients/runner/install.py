"""Installs the pinned packages outside the checkout, once for each state of the lock files."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent.parent
NODE_SUITES = {"javascript", "instantsearch"}
# The async client of meilisearch-python-sdk is a suite of its own in the same folder.
ENTRY_POINTS = {"python-sdk-async": ("python-sdk", "main_async.py")}


class Installation:
    def __init__(self):
        base = os.environ.get("CLIENTS_CACHE")
        user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.cache = Path(base) if base else user_cache / "sonde-clients"

    def command(self, suite: str) -> tuple[list[str], Path]:
        """The command of a suite and the folder to run it in."""
        if suite in NODE_SUITES:
            folder = self._node(suite)
            return ["node", "main.js"], folder
        folder, entry = ENTRY_POINTS.get(suite, (suite, "main.py"))
        return [str(self._python()), "-B", entry], CLIENTS / folder

    def _node(self, suite: str) -> Path:
        # Node looks for packages beside the importing file, so the suite is copied to them.
        root = self.cache / f"{suite}-{_state(CLIENTS / suite / 'package-lock.json')}"
        folder = root / suite
        if not (root / "ready").exists():
            shutil.rmtree(root, ignore_errors=True)
            folder.mkdir(parents=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(CLIENTS / suite / name, folder)
            _run("npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=folder)
            (root / "ready").touch()
        shutil.copytree(CLIENTS / suite, folder, dirs_exist_ok=True)
        shutil.copytree(CLIENTS / "shared", root / "shared", dirs_exist_ok=True)
        return folder

    def _python(self) -> Path:
        requirements = CLIENTS / "requirements.txt"
        root = self.cache / f"python-{_state(requirements)}"
        if not (root / "ready").exists():
            shutil.rmtree(root, ignore_errors=True)
            _run(sys.executable, "-m", "venv", str(root))
            _run(
                str(root / "bin" / "pip"),
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
                str(requirements),
            )
            (root / "ready").touch()
        return root / "bin" / "python"


def _state(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdout=sys.stderr)
