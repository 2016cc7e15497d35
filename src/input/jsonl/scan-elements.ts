import { DossierError } from '../../errors.ts';
import type { Line } from '../../runtime/files/read-lines.ts';
import {
  backslash,
  closeList,
  closeObject,
  comma,
  isSpace,
  openList,
  openObject,
  quote,
} from '../../runtime/json/json-signs.ts';

const lineFeed = 0x0a;

export interface ElementOptions {
  readonly name: string;
  readonly maxBytes: number;
}

/**
 * Cuts a JSON array into the texts of its elements, as its bytes arrive, so that an array of any size takes
 * little memory. It looks only at quotes and brackets; whether an element is JSON is seen when it is parsed.
 * Arrays that follow one another are one list.
 */
export function scanElements({ name, maxBytes }: ElementOptions) {
  let line = 1;
  let place: 'outside' | 'between' | 'element' | 'string' | 'escape' = 'outside';
  let depth = 0;
  let elementLine = 1;
  let parts: Buffer[] = [];
  let bytes = 0;

  function keep(part: Buffer): void {
    // Of a longer element only its length counts.
    if (bytes <= maxBytes) parts.push(part);
    bytes += part.length;
  }

  function complete(): Line {
    const isTooLong = bytes > maxBytes;
    const text = isTooLong ? '' : Buffer.concat(parts).toString('utf8');
    parts = [];
    bytes = 0;
    return { number: elementLine, text, isTooLong };
  }

  return {
    /** The elements that end within this chunk. */
    take(chunk: Buffer): Line[] {
      const elements: Line[] = [];
      let start = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        if (byte === lineFeed) line += 1;
        switch (place) {
          case 'outside':
            if (byte === openList) place = 'between';
            else if (!isSpace(byte)) throw notOneArray(name, line);
            break;
          case 'between':
            if (byte === closeList) place = 'outside';
            if (byte === closeList || byte === comma || isSpace(byte)) break;
            place = 'element';
            elementLine = line;
            depth = 0;
            start = at;
            // The first sign of an element is looked at like those that follow.
            at -= 1;
            break;
          case 'string':
            if (byte === quote) place = 'element';
            else if (byte === backslash) place = 'escape';
            break;
          case 'escape':
            place = 'string';
            break;
          case 'element':
            if (byte === quote) place = 'string';
            else if (byte === openObject || byte === openList) depth += 1;
            else if (depth === 0 && (byte === comma || byte === closeList)) {
              keep(chunk.subarray(start, at));
              elements.push(complete());
              place = byte === comma ? 'between' : 'outside';
            } else if (byte === closeObject || byte === closeList) depth = Math.max(0, depth - 1);
        }
      }
      const isInside = place !== 'outside' && place !== 'between';
      // The chunk may be used for other bytes once it is taken.
      if (isInside) keep(Buffer.from(chunk.subarray(start)));
      return elements;
    },

    /** Throws when the array has no end: elements would be missing without a word. */
    end(): void {
      if (place === 'outside') return;
      const where = place === 'between' ? line : elementLine;
      throw new DossierError(
        'INPUT_INVALID',
        `${name} is a JSON array that does not end: it is cut short, or a quote or bracket of the element in line ${where} does not close`,
      );
    },
  };
}

/** Reads the elements of a JSON array as if each stood on a line of its own. */
export async function* readElements(
  chunks: AsyncIterable<Buffer>,
  options: ElementOptions,
): AsyncGenerator<Line> {
  const scan = scanElements(options);
  for await (const chunk of chunks) yield* scan.take(chunk);
  scan.end();
}

function notOneArray(name: string, line: number): DossierError {
  return new DossierError(
    'INPUT_INVALID',
    `${name}, line ${line}: something stands outside of the JSON array`,
  );
}
