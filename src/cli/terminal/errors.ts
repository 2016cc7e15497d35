import util from 'node:util';
import { DossierError, errorCatalog, exitCodeOf, reasonOf, withoutFiles } from '../../errors.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { printable } from '../../runtime/printable.ts';
import { nameJob, nameJobFromAnywhere, widthOf, wrapped } from './text.ts';

/** What ended a command, for people: an error on purpose, or a bug with its trace. Holds no secret. */
export function failureText(thrown: unknown, stream: NodeJS.WriteStream): string {
  const error = withoutFiles(thrown);
  if (error instanceof DossierError) return withoutSecrets(errorText(error, stream));
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in Dossier; please report it.\n${printable(withoutSecrets(trace))}\n`;
}

/** An error for people: code, message and remedy. Lines are wrapped only for a terminal. */
export function errorText(error: DossierError, stream: NodeJS.WriteStream): string {
  const label = `dossier: ${error.code}`;
  const message = printable(error.message);
  const lines = `${label}: ${message}\n${nameJob(errorCatalog[error.code].remedy)}`.split('\n');
  const shown = stream.isTTY ? lines.flatMap((line) => fitted(line, widthOf(stream))) : lines;
  return `${shown.join('\n').replace(label, util.styleText('red', label, { stream }))}\n`;
}

/** A line that begins with blanks quotes a file and is not wrapped. */
function fitted(line: string, width: number): string[] {
  return line.startsWith(' ') ? [line] : wrapped(line, width);
}

/** An error as the facts of an event, for a log that holds nothing but events. */
export function failureFacts(thrown: unknown) {
  const error = withoutFiles(thrown);
  if (error instanceof DossierError) {
    const { code, message } = error;
    return {
      code,
      message: withoutSecrets(message),
      remedy: nameJobFromAnywhere(errorCatalog[code].remedy),
    };
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const remedy = 'This is a bug in Dossier; please report it.';
  return { code: 'BUG', message: withoutSecrets(trace), remedy };
}

/** Whether the command is a run whose log is JSON, told without reading the whole command line. */
export function wantsEvents(argv: readonly string[]): boolean {
  return isRun(argv) && /(?:^| )--log(?:-f|F)ormat[= ]json(?: |$)/.test(argv.join(' '));
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

/** Turns warnings of Node, which it would print as plain text, into events. */
export function logWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const facts = { name, message: withoutSecrets(message) };
    const time = new Date().toISOString();
    const line = { level: 'warn', time, ...facts, event: 'node.warning' };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  });
}

/**
 * The last events of a run that ended before it could log, or by a bug. They are written without the
 * logger, which a command that only reads its command line does not load.
 */
export function failureEvents(error: unknown, now = new Date()): string {
  const time = now.toISOString();
  const events = [
    { level: 'error', time, ...failureFacts(error), event: 'run.failed' },
    {
      ...{ level: 'info', time, exitCode: exitCodeOf(error), reason: reasonOf(error) },
      event: 'run.ended',
    },
  ];
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
