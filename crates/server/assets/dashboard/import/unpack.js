// Files that are packed. Browsers know gzip; what they do not know is said before anything is sent.

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
const LOOKED_AT = 4096;

/** The file itself, or what is packed in it. Fails with a sentence where that cannot be read as text. */
export async function unpacked(file) {
  const start = new Uint8Array(await file.slice(0, LOOKED_AT).arrayBuffer());
  const begins = (bytes) => bytes.every((byte, place) => start[place] === byte);
  if (begins(ZSTD)) {
    throw new Error('Browsers cannot unpack zstd. Unpack the file first, or send it with sonde import.');
  }
  if (begins(GZIP)) return unpacked(await gunzipped(file));
  if (start.includes(0)) throw new Error('This file is not text. Choose a JSON, NDJSON or CSV file.');
  return file;
}

async function gunzipped(file) {
  try {
    const stream = file.stream().pipeThrough(new DecompressionStream('gzip'));
    return new File([await new Response(stream).blob()], file.name.replace(/\.gz$/i, ''));
  } catch {
    throw new Error('This gzip file is damaged: it cannot be unpacked completely.');
  }
}
