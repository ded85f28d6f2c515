"""hnswlib, as the vectors are given (M 16, ef_construction 125, cosine): what building takes and
what it answers, one round for each number of candidates.

hnswlib_peer.py STORED QUERIES WIDTH… prints one JSON object. Files: two 32-bit numbers (rows,
dimensions), then 32-bit floats, little-endian.
"""

import json
import sys
import time

import hnswlib
import numpy

NEAREST = 10


def main() -> None:
    stored, queries = matrix(sys.argv[1]), matrix(sys.argv[2])
    index = hnswlib.Index(space="cosine", dim=stored.shape[1])
    before = time.process_time()
    index.init_index(max_elements=len(stored), M=16, ef_construction=125)
    index.add_items(stored)
    build_cpu_s = time.process_time() - before
    searches = [search(index, queries, int(width)) for width in sys.argv[3:]]
    json.dump({"build_cpu_s": build_cpu_s, "disk_bytes": 0, "searches": searches}, sys.stdout)


def search(index, queries, width: int) -> dict:
    index.set_ef(width)
    index.knn_query(queries, k=NEAREST, num_threads=1)
    before = time.process_time()
    ids, _ = index.knn_query(queries, k=NEAREST, num_threads=1)
    cpu_ms_each = (time.process_time() - before) * 1e3 / len(queries)
    return {"filter": "none", "width": width, "cpu_ms_each": cpu_ms_each, "hits": ids.tolist()}


def matrix(path: str):
    head = numpy.fromfile(path, dtype="<u4", count=2)
    return numpy.fromfile(path, dtype="<f4", offset=8).reshape(head[0], head[1])


if __name__ == "__main__":
    main()
