import { once } from 'node:events';
import { styleText } from 'node:util';
import {
  DossierError,
  errorCatalog,
  exitCodeOf,
  reasonOf,
  withoutFiles,
} from '../../core/errors.ts';
import { withoutSecrets } from '../../core/runtime/log/known-secrets.ts';
import { printable } from '../../core/runtime/printable.ts';
import { bytesText, fitted, nameJob, nameJobFromAnywhere } from './text.ts';

/** Where a command talks while it works. Nothing else writes to a stream. */
export type Terminal = ReturnType<typeof openTerminal>;

export function openTerminal() {
  const progress = openProgress();
  shown = progress;
  const next: string[] = [];
  const failures: Error[] = [];
  return {
    /** Tells people something, on standard error. */
    note: (...texts: string[]) => writeNotes(texts),
    /** Tells people of something that they should look at. */
    warn: (...texts: string[]) => writeNotes(texts, 'yellow'),
    /** Tells people what to do next, once the result is printed. */
    next: (text: string) => void next.push(text),
    /** Prints data as it is, on standard output. */
    print: writeOut,
    /** Prints lines of data as they come, at the pace of their reader. */
    lines: (lines: AsyncIterable<string>) => writeLines(process.stdout, lines),
    /** A line that shows how far the work is. */
    progress,
    /** Whether people read standard output, and not a program. */
    isForPeople: process.stdout.isTTY === true,
    /** Ends the command with this error once its result is printed. */
    fail: (error: Error | undefined) => void (error && failures.push(error)),
    /** Tells what has waited for the result. */
    end() {
      clearLine();
      writeNotes(next);
      const last = failures.pop();
      for (const error of failures) writeError(failureText(error, process.stderr));
      if (last) throw last;
    },
  };
}

/** The progress line of the command, which is cleared before anything else is written. */
let shown: Progress | undefined;

export function clearLine(): void {
  shown?.clear();
}

/** The one door to standard output. */
export function writeOut(text: string, done?: (error?: Error | null) => void): void {
  clearLine();
  process.stdout.write(text, done);
}

/** The one door to standard error. */
export function writeError(text: string): void {
  clearLine();
  process.stderr.write(text);
}

function writeNotes(texts: readonly string[], color?: 'yellow'): void {
  const { stderr: stream } = process;
  for (const line of texts.flatMap((text) => fitted(text, stream))) {
    writeError(`${color ? styleText(color, line, { stream }) : line}\n`);
  }
}

/** Writing lines in batches is many times faster than one by one; larger batches gain nothing. */
const batchLength = 64 * 1024;

/** Writes lines and waits whenever the stream is full, so that a slow pipe does not fill the memory. */
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

export type Progress = ReturnType<typeof openProgress>;

const redrawMs = 100;
const plainLineMs = 5_000;
const barWidth = 12;
const clearing = '\r\u001b[2K';

/** A line that is redrawn on a terminal; without a terminal, a new line every few seconds. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr) {
  // CI logs keep every redraw as a line of its own, so a terminal in CI gets plain lines.
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI;
  let lastShownAt = isLive ? -Infinity : performance.now();
  let hasLine = false;
  const clear = () => {
    if (hasLine) stream.write(clearing);
    hasLine = false;
  };
  /** Shows how far the work is; `share` is undefined when its length is unknown. */
  const show = (text: string, share?: number) => {
    const now = performance.now();
    if (now - lastShownAt < (isLive ? redrawMs : plainLineMs)) return;
    lastShownAt = now;
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
    /** Shows how much of a list has come. A log needs no line for that. */
    showReceived(bytes: number, ofBytes?: number) {
      if (isLive) show(`fetching the list  ${bytesText(bytes)}`, ofBytes && bytes / ofBytes);
    },
  };
}

/** Drops whole parts from the end until the line fits: a number that is cut would be wrong. */
function withWholeParts(line: string, width: number): string {
  const parts = line.split('  ');
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ').slice(0, width);
}

/** What Dossier itself sends beside text: the colours of `styleText`, and a progress line to be redrawn. */
const ownSequence = /(\r?\p{Cc}\[2K|\p{Cc}\[\d{1,2}m)/u;
const escapeCharacter = '\u001b[';

/**
 * Makes all text printable that goes to the stream: no file name, header or answer of a service can steer
 * the terminal, whichever message carries it.
 */
export function guardTerminal(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  const clean = cleanerFor(stream);
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? clean(chunk) : chunk, ...rest);
}

/** Makes text for people printable on a stream; colours stay where the stream has them. */
export function cleanerFor(stream: NodeJS.WriteStream): (text: string) => string {
  const isOwn = stream.isTTY || styleText('red', ' ', { stream }) !== ' ';
  return isOwn ? cleanAround : printable;
}

function cleanAround(text: string): string {
  return text
    .split(ownSequence)
    .map((part, index) =>
      index % 2 === 1 && part.includes(escapeCharacter) ? part : printable(part),
    )
    .join('');
}

/** What ended a command, for people: code, message and remedy, or a bug with its trace. Holds no secret. */
export function failureText(thrown: unknown, stream: NodeJS.WriteStream): string {
  const { code, message, remedy } = failureFacts(thrown, nameJob);
  if (code === 'BUG') return `${remedy}\n${printable(message)}\n`;
  const label = `dossier: ${code}`;
  const lines = fitted(withoutSecrets(`${label}: ${printable(message)}\n${remedy}`), stream);
  return `${lines.join('\n').replace(label, styleText('red', label, { stream }))}\n`;
}

/** An error as the facts of an event, for a log that holds nothing but events. */
export function failureFacts(thrown: unknown, withJob = nameJobFromAnywhere) {
  const error = withoutFiles(thrown);
  if (error instanceof DossierError) {
    const { code, message } = error;
    const remedy = withJob(errorCatalog[code].remedy);
    return { code, message: withoutSecrets(message), remedy };
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const remedy = 'This is a bug in Dossier; please report it.';
  return { code: 'BUG', message: withoutSecrets(trace), remedy };
}

/** Whether the log of the command is JSON, told without reading the whole command line. */
export function wantsEvents(argv: readonly string[]): boolean {
  return /(?:^| )--log(?:-f|F)ormat[= ]json(?: |$)/.test(argv.join(' '));
}

/** Whether the command is a run that ends with a JSON object on standard output. */
export function wantsJson(argv: readonly string[]): boolean {
  return isRun(argv) && argv.some((word) => /^--json(=true)?$/.test(word));
}

/** `fix` ends with a run, unless it only lists or drops corrections. */
function isRun(argv: readonly string[]): boolean {
  const isFix = argv[0] === 'fix' && !argv.some((word) => /^--(?:list|drop)(?:=|$)/.test(word));
  return argv[0] === 'run' || isFix;
}

/** An event, written without the logger, which a command that only reads its command line does not load. */
export function eventLine(level: string, event: string, facts: object): string {
  return `${JSON.stringify({ level, time: new Date().toISOString(), ...facts, event })}\n`;
}

/** The last events of a command that ended before it could log, or by a bug. */
export function failureEvents(error: unknown, argv: readonly string[]): string {
  const name = isRun(argv) ? 'run' : 'command';
  const end = { exitCode: exitCodeOf(error), reason: reasonOf(error) };
  return (
    eventLine('error', `${name}.failed`, failureFacts(error)) +
    eventLine('info', `${name}.ended`, end)
  );
}
