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
import { fitted, nameJob, nameJobFromAnywhere } from './text.ts';

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
