"""Installs the pinned packages, once for each state of the lock files: those of Python and node outside the
checkout, those of Rust in its target folder, where cargo keeps what it compiled."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent.parent
TARGET = CLIENTS.parents[1] / "target"
CARGO = os.environ.get("CARGO", "cargo")
SDK = "meilisearch-sdk"
IMPORTER = "meilisearch-importer"
IMPORTER_VERSION = "0.2.4"
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
            folder = self.node(CLIENTS / suite)
            shutil.copytree(CLIENTS / "shared", folder.parent / "shared", dirs_exist_ok=True)
            return ["node", "main.js"], folder
        if suite == "rust-sdk":
            return self._rust_sdk(), CLIENTS / suite
        if suite == "importer":
            return [*self._importer(), str(self.python()), "-B", "main.py"], CLIENTS / suite
        folder, entry = ENTRY_POINTS.get(suite, (suite, "main.py"))
        return [str(self.python()), "-B", entry], CLIENTS / folder

    def node(self, source: Path) -> Path:
        """A copy of a folder that has a lock file, with its packages."""
        # Node looks for packages beside the importing file, so the folder is copied to them.
        root = self.cache / f"{source.name}-{_state(source / 'package-lock.json')}"
        folder = root / source.name
        if not (root / "ready").exists():
            shutil.rmtree(root, ignore_errors=True)
            folder.mkdir(parents=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(source / name, folder)
            _run("npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=folder)
            (root / "ready").touch()
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
        return folder

    def python(self, requirements: Path = CLIENTS / "requirements.txt") -> Path:
        """An interpreter that has the packages of a list."""
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


    def _rust_sdk(self) -> list[str]:
        manifest = ("--manifest-path", str(CLIENTS / "rust-sdk" / "Cargo.toml"), "--locked")
        _run(CARGO, "build", "--quiet", *manifest, "--target-dir", str(TARGET))
        # The suite reads from the source which methods there are.
        told = subprocess.run([CARGO, "metadata", "--format-version", "1", *manifest], check=True, stdout=subprocess.PIPE)
        packages = json.loads(told.stdout)["packages"]
        source = next(Path(package["manifest_path"]).parent for package in packages if package["name"] == SDK)
        return ["env", f"SDK_SOURCE={source}", str(TARGET / "debug" / "rust-sdk-suite")]

    def _importer(self) -> list[str]:
        root = TARGET / f"importer-{IMPORTER_VERSION}"
        command = root / "bin" / IMPORTER
        if not command.exists():
            pinned = ("--version", IMPORTER_VERSION, "--locked", "--debug")
            _run(CARGO, "install", "--quiet", IMPORTER, *pinned, "--root", str(root), "--target-dir", str(TARGET))
        return ["env", f"IMPORTER={command}", f"IMPORTER_VERSION={IMPORTER_VERSION}"]


def _state(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdout=sys.stderr)
