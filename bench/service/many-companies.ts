import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { abnOfAcn } from '../../src/core/identify/parse-abn.ts';
import type { BenchCompany } from './company-lookups.ts';

/** The nth generated company. No two share an identifier, and neighbours have unlike names. */
export function manyCompany(n: number): BenchCompany & { name: string } {
  // A prime step through a prime range visits every number once, out of order.
  const mixed = ((n * 7_368_787) % 15_485_863).toString(36).padStart(5, '0');
  const name = `${mixed}-holdings-sample`;
  return {
    id: `c_${mixed}`,
    name: `${mixed} Holdings`,
    fqdn: `${name}.com.au`,
    website: `https://www.${name}.com.au/`,
    network: name,
    industry_codes: { abn: abnOfAcn(String(900_000_000 + n)) },
  };
}

export function bodyOf(n: number): string {
  return JSON.stringify({ ...manyCompany(n), hq_country: 'Australia', employee_count: n % 5_000 });
}

/** Writes this many companies as JSON lines, in batches, so that memory stays small. */
export async function writeManyCompanies(path: string, count: number): Promise<void> {
  const linesInPiece = 1_000;
  function* pieces() {
    for (let from = 0; from < count; from += linesInPiece) {
      const size = Math.min(linesInPiece, count - from);
      yield Array.from({ length: size }, (_, offset) => `${bodyOf(from + offset)}\n`).join('');
    }
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path));
}
