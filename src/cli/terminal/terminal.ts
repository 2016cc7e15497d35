import { once } from 'node:events';
import { styleText } from 'node:util';
import {
  DossierError,
  exitCodeOf,
  explainFileLimit,
  reasonOf,
  stackOf,
} from '../../core/errors.ts';
import { formatBytes } from '../../core/values/format.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import { printable } from '../../core/values/printable.ts';
import { fitted, nameJob, nameJobFromAnywhere } from './text.ts';

export type Terminal = ReturnType<typeof openTerminal>;

export function openTerminal() {
  const progress = createProgress();
  shownProgress = progress;
  const next: string[] = [];
  const failures: Error[] = [];
  return {
    /** For people, on standard error. */
    note: (...texts: string[]) => writeNotes(texts),
    warn: (...texts: string[]) => writeNotes(texts, 'yellow'),
    /** Printed after the result. */
    next: (text: string) => void next.push(text),
    print: writeOut,
    lines: (lines: AsyncIterable<string>) => writeLines(process.stdout, lines),
    progress,
    isForPeople: process.stdout.isTTY === true,
    /** Fails the command after its result is printed. */
    fail: (error: Error | undefined) => void (error && failures.push(error)),
    end() {
      clearLine();
      writeNotes(next);
      const last = failures.pop();
      for (const error of failures) writeError(failureText(error, process.stderr));
      if (last) throw last;
    },
  };
}

let shownProgress: Progress | undefined;

export function clearLine(): void {
  shownProgress?.clear();
}

export function writeOut(text: string, done?: (error?: Error | null) => void): void {
  clearLine();
  process.stdout.write(text, done);
}

export function writeError(text: string): void {
  clearLine();
  process.stderr.write(text);
}

function writeNotes(texts: readonly string[], color?: 'yellow') {
  const { stderr: stream } = process;
  for (const line of texts.flatMap((text) => fitted(text, stream))) {
    writeError(`${color ? styleText(color, line, { stream }) : line}\n`);
  }
}

/** Batches are many times faster than single lines; larger batches gain nothing. */
const batchLength = 64 * 1024;

/** Waits for a slow pipe, because unwritten lines would fill the memory. */
export async function writeLines(stream: NodeJS.WritableStream, lines: AsyncIterable<string>) {
  let batch = '';
  for await (const line of lines) {
    batch += `${line}\n`;
    if (batch.length < batchLength) continue;
    if (!stream.write(batch)) await once(stream, 'drain');
    batch = '';
  }
  if (batch !== '') stream.write(batch);
  return undefined;
}

export type Progress = ReturnType<typeof createProgress>;

const redrawMs = 100;
const plainLineMs = 5_000;
const barWidth = 12;
const clearing = '\r\u001b[2K';

export function createProgress(stream: NodeJS.WriteStream = process.stderr) {
  // Not in CI, whose logs keep every redraw as a line.
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI;
  let lastShownAt = isLive ? -Infinity : performance.now();
  let hasLine = false;
  const clear = () => {
    if (hasLine) stream.write(clearing);
    hasLine = false;
  };
  const show = (textNow: () => string, share?: number) => {
    const now = performance.now();
    if (now - lastShownAt < (isLive ? redrawMs : plainLineMs)) return;
    lastShownAt = now;
    const text = textNow();
    const percent = share === undefined ? '' : `${Math.floor(share * 100)}% `;
    if (!isLive) {
      stream.write(`${percent}${text}\n`);
      return;
    }
    hasLine = true;
    const filled = Math.round(Math.min(1, share ?? 0) * barWidth);
    const bar = share === undefined ? '' : `${'█'.repeat(filled).padEnd(barWidth, '░')} `;
    const line = withWholeParts(`${bar}${percent}${text}`, Math.max(20, stream.columns - 1));
    stream.write(`${clearing}${line.replace(bar, styleText('cyan', bar, { stream }))}`);
  };
  return {
    show,
    clear,
    showReceived(bytes: number, ofBytes?: number) {
      if (isLive)
        show(() => `fetching the list  ${formatBytes(bytes)}`, ofBytes && bytes / ofBytes);
    },
  };
}

/** Drops whole parts: a number cut in half would be wrong. */
function withWholeParts(line: string, width: number) {
  const parts = line.split('  ');
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ').slice(0, width);
}

/** What Dossier itself writes: colours of `styleText`, and clearing the progress line. */
const ownSequence = /(\r?\p{Cc}\[2K|\p{Cc}\[\d{1,2}m)/u;
const escapeCharacter = '\u001b[';

/** A file name or an answer could control the terminal with control characters. */
export function guardTerminal(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  const clean = cleanerFor(stream);
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? clean(chunk) : chunk, ...rest);
}

export function cleanerFor(stream: NodeJS.WriteStream): (text: string) => string {
  const hasColors = stream.isTTY || styleText('red', ' ', { stream }) !== ' ';
  return hasColors ? cleanAround : printable;
}

function cleanAround(text: string) {
  return text
    .split(ownSequence)
    .map((part, index) =>
      index % 2 === 1 && part.includes(escapeCharacter) ? part : printable(part),
    )
    .join('');
}

/** The user knows what happened. */
const ownActs: readonly string[] = ['USAGE', 'INTERRUPTED', 'PRICE_DECLINED'];

export function failureText(thrown: unknown, stream: NodeJS.WriteStream): string {
  const { code, message, remedy } = failureFacts(thrown, nameJob);
  if (code === 'BUG') return `${remedy}\n${printable(message)}\n`;
  // People read words first; the code is for docs/exit-codes.md.
  const label = stream.isTTY ? 'dossier' : `dossier: ${code}`;
  const lines = fitted(withoutSecrets(`${label}: ${printable(message)}\n${remedy}`), stream);
  const end = stream.isTTY && !ownActs.includes(code) ? [styleText('dim', code, { stream })] : [];
  const text = [...lines, ...end].join('\n');
  return `${text.replace(label, styleText('red', label, { stream }))}\n`;
}

export function failureFacts(thrown: unknown, withJob = nameJobFromAnywhere) {
  const error = explainFileLimit(thrown);
  if (error instanceof DossierError) {
    const { code, message, remedy } = error;
    return { code, message: withoutSecrets(message), remedy: withJob(remedy) };
  }
  const remedy = 'This is a bug in Dossier; please report it.';
  return { code: 'BUG', message: withoutSecrets(stackOf(error)), remedy };
}

/** Also works for a command line that cannot be parsed. */
export function wantsEvents(argv: readonly string[]): boolean {
  return /(?:^| )--log(?:-f|F)ormat[= ]json(?: |$)/.test(argv.join(' '));
}

/** A failed run or plan prints its error as JSON too, because the page reads it. */
export function wantsJson(argv: readonly string[]): boolean {
  return (
    (isRun(argv) || /^(?:plan|services)$/.test(argv[0] ?? '')) &&
    argv.some((word) => /^--json(=true)?$/.test(word))
  );
}

/** `fix` ends with a run, unless it only lists or drops corrections. */
function isRun(argv: readonly string[]) {
  const isFix = argv[0] === 'fix' && !argv.some((word) => /^--(?:list|drop)(?:=|$)/.test(word));
  return argv[0] === 'run' || isFix;
}

/** Written without the logger: most commands do not load it. */
export function eventLine(level: string, event: string, facts: object): string {
  return `${JSON.stringify({ level, time: new Date().toISOString(), ...facts, event })}\n`;
}

export function failureEvents(error: unknown, argv: readonly string[]): string {
  const name = isRun(argv) ? 'run' : 'command';
  const end = { exitCode: exitCodeOf(error), reason: reasonOf(error) };
  return (
    eventLine('error', `${name}.failed`, failureFacts(error)) +
    eventLine('info', `${name}.ended`, end)
  );
}
