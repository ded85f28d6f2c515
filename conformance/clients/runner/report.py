"""Counts what the suites found and writes docs/compatibility.md."""

from pathlib import Path

TABLE = Path(__file__).resolve().parents[3] / "docs" / "compatibility.md"

HEAD = """# Clients that work with Sonde

Written by `conformance/clients/run`; do not edit. Each client is the published package, unchanged. A suite
calls every public method of it against a new server with a master key and checks the answers; the methods
are listed by reflection (of the crate: from its source), so none is left out unnoticed. For the adapter of InstantSearch, what its helper and its
widgets ask for is counted too.

`Refused` are methods that the package itself cannot do, whatever the server answers.

| client | version | methods called | passed | refused | failed |
|---|---|---|---|---|---|
"""


def summary(found: dict, problem: str | None) -> dict:
    """Results of one suite in numbers. A problem of the server or the suite counts as a failure."""
    methods = found["methods"]

    def of(status: str) -> list[tuple[str, str]]:
        return [(method["name"], method["reason"]) for method in methods if method["status"] == status]

    failures = of("failed") + ([("the suite", problem)] if problem else [])
    return {
        "client": found["client"],
        "version": found["version"],
        "called": len(methods),
        "passed": len(of("passed")),
        "refused": len(of("refused")),
        "failed": len(failures),
        "refusals": of("refused"),
        "failures": failures,
    }


def by_reason(entries: list[tuple[str, str]]) -> dict[str, list[str]]:
    """The methods that share a reason."""
    grouped: dict[str, list[str]] = {}
    for name, reason in entries:
        grouped.setdefault(reason, []).append(name)
    return grouped


def write_table(reports: list[dict]) -> None:
    rows = []
    details = []
    for report in reports:
        members = ("client", "version", "called", "passed", "refused", "failed")
        rows.append("| " + " | ".join(str(report[member] or "–") for member in members) + " |\n")
        for word, entries in (("refused", report["refusals"]), ("failed", report["failures"])):
            for reason, names in by_reason(entries).items():
                methods = ", ".join(f"`{name}`" for name in names)
                details.append(f"- {report['client']}, {word}: {methods}: {reason.rstrip('.')}.\n")
    text = HEAD + "".join(rows)
    if details:
        text += "\n## Methods that do not pass\n\n" + "".join(details)
    TABLE.write_text(text)
