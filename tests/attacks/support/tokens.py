"""Tenant tokens, signed by hand."""

import base64
import hmac
import json


def token(key_uid: str, key: str, rules) -> str:
    claims = {"apiKeyUid": key_uid, "searchRules": rules, "exp": 4_102_444_800}
    body = _part({"alg": "HS256", "typ": "JWT"}) + b"." + _part(claims)
    signature = base64.urlsafe_b64encode(hmac.digest(key.encode(), body, "sha256")).rstrip(b"=")
    return (body + b"." + signature).decode()


def _part(value: dict) -> bytes:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")
