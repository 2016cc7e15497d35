import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { abnOfAcn } from '../../src/identify/abn/abn-check-digits.ts';

/** Every site has a name of the same length, so that answers can be filled in by place. */
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

/** A list as people have it: a name and a website, the sites again and again in turn. */
export async function writeList(path: string, rows: number, sites = rows): Promise<void> {
  const file = createWriteStream(path);
  file.write('Company,Website\n');
  for (let row = 0; row < rows; row += 1) {
    const line = `Company ${row},https://www.${siteDomain(row % sites)}/\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}
