// Cutting a large file into bodies that the server accepts, between documents. A file that fits
// goes as it is. Only one piece is held in memory at a time.

import { arrayScanner, lineScanner } from './scan.js';

/** Well below what servers accept unless told otherwise. */
export const PIECE_BYTES = 32 * 1024 * 1024;

/**
 * Yields `{body, bytes, shift}`: `bytes` is how much of the file it covers, `shift` what is to be added to a
 * place in the body for the place in the file.
 */
export async function* pieces(file, about, usesTypes, most = PIECE_BYTES) {
  if (about.format === 'csv') yield* csvPieces(file, about, usesTypes, most);
  else if (file.size <= most) yield { body: file, bytes: file.size, shift: 0 };
  else if (about.format === 'ndjson') yield* linePieces(file, 0, lineScanner(false), [], most);
  else yield* arrayPieces(file, most);
}

function csvPieces(file, about, usesTypes, most) {
  const heading = usesTypes && about.guessesTypes ? about.typedHeading : file.slice(0, about.headingBytes);
  return linePieces(file, about.headingBytes, lineScanner(true), [heading], most);
}

async function* linePieces(file, from, scanner, heading, most) {
  const headingBytes = new Blob(heading).size;
  let begin = from;
  let scanned = from;
  let end = from;
  let covered = 0;
  while (scanned < file.size) {
    const bytes = new Uint8Array(await file.slice(scanned, scanned + most).arrayBuffer());
    scanner(bytes, (at) => (end = scanned + at));
    scanned += bytes.length;
    if (scanned >= file.size) end = file.size;
    if (end > begin) {
      const body = new Blob([...heading, file.slice(begin, end)]);
      yield { body, bytes: end - covered, shift: begin - headingBytes };
      covered = end;
      begin = end;
    }
  }
}

async function* arrayPieces(file, most) {
  const scanner = arrayScanner();
  let first = null;
  let end = 0;
  let covered = 0;
  for (let scanned = 0; scanned < file.size; scanned += most) {
    const bytes = new Uint8Array(await file.slice(scanned, scanned + most).arrayBuffer());
    scanner(
      bytes,
      (at) => (first ??= scanned + at),
      (at) => (end = scanned + at),
    );
    if (first === null || end <= first) continue;
    const body = new Blob(['[', file.slice(first, end), ']']);
    const upTo = scanned + most >= file.size ? file.size : end;
    yield { body, bytes: upTo - covered, shift: first - 1 };
    covered = upTo;
    first = await nextObject(file, end);
  }
}

/** Where the next document begins: behind the comma and blanks that follow one. */
async function nextObject(file, end) {
  const text = await file.slice(end, end + 4096).text();
  const brace = text.indexOf('{');
  return brace < 0 ? null : end + brace;
}
