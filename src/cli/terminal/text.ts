import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isListAddress, shownPath } from '../../core/runtime/files/local-path.ts';
import { printable } from '../../core/runtime/printable.ts';
import { sampleData } from '../../core/runtime/sample-data.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

const defaultWidth = 80;
const narrowest = 39;
const widest = 120;

/** How many characters fit a line: by the width of the terminal, or of 80 columns without one. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return Math.min(widest, Math.max(narrowest, (stream.columns || defaultWidth) - 1));
}

/** Cuts a text to one line. Control characters go: a list from outside could steer the terminal. */
export function shortened(text: string, width: number): string {
  const printable = text
    .slice(0, 4 * widest)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = [...printable];
  if (characters.length <= width) return printable;
  return `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

/** Wraps a text between words; a word that is longer than a line is broken. Styles are put on afterwards. */
export function wrapped(text: string, width: number): string[] {
  const lines = printable(text).matchAll(new RegExp(`(.{1,${width}})(?: |$)|.{${width}}`, 'gsu'));
  const [first = '', ...others] = [...lines].map(([piece, line = piece]) => line);
  return [first, ...others];
}

/** Lines of a text, wrapped only for a terminal. Quoted lines begin with blanks; coloured ones are wrapped before. */
export function fitted(text: string, stream: NodeJS.WriteStream): string[] {
  const isKept = (line: string) => !stream.isTTY || line.startsWith(' ') || line.includes('\u001b');
  return text.split('\n').flatMap((line) => (isKept(line) ? line : wrapped(line, widthOf(stream))));
}

/** `1 company`, `5,000 companies` */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`;
}

/** `5,000`. The first number that `toLocaleString` formats costs 25 ms, so small ones avoid it. */
export function formatNumber(number: number): string {
  const isPlain = Number.isInteger(number) && Math.abs(number) < 1_000;
  return isPlain ? String(number) : number.toLocaleString('en');
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** `812 bytes`, `4.1 KB`, `380 MB`; a KB is 1,000 bytes, as `ls` and disks count. */
export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // 999.6 KB would be shown as 1000 KB.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1;
  return `${amount.toFixed(digits)} ${units[unit]}`;
}

/** `2026-08-22 04:12 UTC` */
export function minuteOf(time: number | string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A path as people would type it: relative where it lies below the working directory. An address stays as it is. */
export function fromHere(path: string): string {
  const short = path.includes('://') ? path : relative(process.cwd(), path) || '.';
  return printable(short.startsWith('..') ? path : short);
}

/** `270 matched, 20 open`; an empty text when all are 0. */
export function listed(amounts: Readonly<Record<string, number>>): string {
  const some = Object.entries(amounts).filter(([, amount]) => amount > 0);
  return some.map(([name, amount]) => `${formatNumber(amount)} ${name}`).join(', ');
}

/** Quotes a word for a shell: `my leads.yaml → 'my leads.yaml'`. Of an address, its secrets are left away. */
export function shellWord(given: string): string {
  const text = isListAddress(given) && /[@?#]/.test(given) ? shownPath(given) : given;
  // A shell turns the escapes within $'…' into characters; a terminal shows them.
  if (printable(text) !== text) return `$'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`;
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Stands for the job of a command in texts that are written where nobody knows how it was given. */
const placeholder = '<job>';

let given: string | undefined;

/** From here on texts name this job, as it stands on the command line. */
export function rememberJob(job: string | undefined): void {
  given = job === '-' ? undefined : job;
}

/** ``dossier fix <job> --list → dossier fix nightly.yaml --list``; left as it is where no job was given. */
export function nameJob(text: string): string {
  return given === undefined ? text : text.replaceAll(placeholder, shellWord(given));
}

/** The same with an absolute path, for those who read it in another folder. */
export function nameJobFromAnywhere(text: string): string {
  return given === undefined ? text : text.replaceAll(placeholder, shellWord(fromAnywhere(given)));
}

/** An absolute path; the name of a job stays as it is. */
export function fromAnywhere(job: string): string {
  return existsSync(job) ? resolve(job) : job;
}

/** Says that sample data answers; nothing for a real service. */
export function sampleDataText(service: string): string[] {
  if (service !== sampleData) return [];
  return ['SAMPLE DATA: made-up companies answer. --url or DOSSIER_URL names the service.'];
}

/** Says that a job over sample data shares nothing, where it was to share. */
export function unsharedText({ leavesShareOut }: ResolvedJob['service']): string[] {
  if (!leavesShareOut) return [];
  return ['Sample data is answered in this process, so nothing is shared through Redis.'];
}
