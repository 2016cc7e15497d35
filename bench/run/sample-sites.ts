import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { abnOfAcn } from '../../src/core/identify/parse-abn.ts';

/** All site names have the same length, so that answers are filled in at fixed offsets. */
const digits = 7;

/** `12 → site-0000012-sample` */
export function siteName(number: number): string {
  return `site-${String(number).padStart(digits, '0')}-sample`;
}

export function siteDomain(number: number): string {
  return `${siteName(number)}.com.au`;
}

export function siteAbn(number: number): string {
  return abnOfAcn(String(number).padStart(9, '0'));
}

/** The number of the site that a text names, or -1. */
export function siteIn(text: string): number {
  const at = text.indexOf('site-');
  return at === -1 ? -1 : Number(text.slice(at + 5, at + 5 + digits));
}

/** Writes a CSV list of names and distinct websites. */
export async function writeList(path: string, rows: number): Promise<void> {
  await writeRows(path, rows, (row) => `Company ${row},https://www.${siteDomain(row)}/`);
}

/** Writes a CSV list whose rows are given as lines, from 0. */
export async function writeRows(
  path: string,
  rows: number,
  lineOf: (row: number) => string,
): Promise<void> {
  const file = createWriteStream(path);
  file.write('Company,Website\n');
  for (let row = 0; row < rows; row += 1) {
    if (!file.write(`${lineOf(row)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}
