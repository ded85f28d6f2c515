"""Finding 13: the model of an embedder could be any folder of the machine, and errors described the folder."""

from support.server import Server
from support.suite import attack

SECRET = "hush-of-a-config"


def refusal(server: Server, model: str) -> tuple:
    """How a setting with this model fails, with the name of the model taken out."""
    settings = {"embedders": {"e": {"source": "huggingFace", "model": model}}}
    answer = server.call("PATCH", "/indexes/words/settings", settings)
    if answer.status == 202:
        task = server.task_of(answer)
        assert task["status"] == "failed", task
        error = task["error"]
    else:
        assert answer.status == 400, answer
        error = answer.json
    return error["code"], error["message"].replace(model, "MODEL").split("offset")[0]


@attack(finding=13, server="keyed")
def folders_of_the_machine_cannot_be_explored(server: Server) -> None:
    folder = server.folder / "elsewhere"
    folder.mkdir(exist_ok=True)
    (folder / "with-config").mkdir(exist_ok=True)
    (folder / "with-config" / "config.json").write_text(f'{{"model_type": "{SECRET}"}}')
    (folder / "file").write_text(SECRET)
    missing = refusal(server, str(folder / "missing"))
    for model in (folder, folder / "with-config", folder / "file", "/root/.ssh", "/etc"):
        found = refusal(server, str(model))
        assert SECRET not in found[1], found
        assert found == missing, f"{model} can be distinguished from a folder that does not exist: {found}, {missing}"
