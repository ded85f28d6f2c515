// Finding where documents end without parsing them: bytes are enough, because the marks that
// matter are ASCII in UTF-8. Each scanner is fed in order and keeps its state between feeds.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Tells for each object directly inside a JSON array where it begins and ends. */
export function arrayScanner() {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  return (bytes, onBegin, onEnd) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_LIST) {
        depth += 1;
        if (depth === 2 && byte === OPEN_BRACE) onBegin(at);
      } else if (byte === CLOSE_BRACE || byte === CLOSE_LIST) {
        if (depth === 2 && byte === CLOSE_BRACE) onEnd(at + 1);
        depth -= 1;
      }
    }
  };
}

/** Tells where lines end; in CSV a line break between quotes belongs to the value. */
export function lineScanner(isCsv) {
  let inQuotes = false;
  return (bytes, onEnd) => {
    for (let at = 0; at < bytes.length; at += 1) {
      if (isCsv && bytes[at] === QUOTE) inQuotes = !inQuotes;
      else if (bytes[at] === NEWLINE && !inQuotes) onEnd(at + 1);
    }
  };
}
