"""Assertions about answers, with messages that show the answer."""

from .wire import Answer


def status(answer: Answer, *expected: int, what: str = "") -> Answer:
    assert isinstance(answer, Answer), f"{what}: no answer, but {answer!r}"
    assert answer.status in expected, f"{what}: expected {' or '.join(map(str, expected))}, got {answer}"
    return answer


def refused(answer: Answer, expected: int, code: str, what: str = "") -> Answer:
    status(answer, expected, what=what)
    assert answer.code == code, f"{what}: expected the code {code}, got {answer}"
    return answer


def quick(answer: Answer, limit_s: float, what: str = "") -> Answer:
    assert answer.seconds <= limit_s, f"{what}: expected an answer within {limit_s} s, got {answer}"
    return answer


def absent(secret: str, answer: Answer, what: str = "") -> Answer:
    assert secret.encode() not in answer.body, f"{what}: the answer shows {secret}: {answer}"
    return answer
