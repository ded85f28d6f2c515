"""The first hits of bm25s for many questions: its defaults, no stemming, stop words kept.

bm25s_hits.py TEXTS.ndjson QUESTIONS.json COUNT prints one list of ids a question as JSON.
"""

import json
import sys

import bm25s


def main() -> None:
    texts_path, questions_path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(texts_path, encoding="utf-8") as lines:
        texts = [json.loads(line) for line in lines]
    with open(questions_path, encoding="utf-8") as file:
        questions = json.load(file)

    retriever = bm25s.BM25()
    retriever.index(tokens([text["text"] for text in texts]), show_progress=False)
    places, scores = retriever.retrieve(tokens(questions), k=count, show_progress=False)
    hits = [
        # Places with a score of 0 only fill the list up.
        [texts[place]["id"] for place, score in zip(row, row_scores) if score > 0]
        for row, row_scores in zip(places, scores)
    ]
    json.dump(hits, sys.stdout)


def tokens(texts: list[str]):
    return bm25s.tokenize(texts, stopwords=None, stemmer=None, show_progress=False)


if __name__ == "__main__":
    main()
