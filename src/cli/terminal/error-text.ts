import { styleText } from 'node:util';
import { DossierError, errorCatalog, withoutFiles } from '../../errors.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { printable } from '../../runtime/printable.ts';
import { widthOf, wrapped } from './fit-text.ts';
import { nameJob } from './name-job.ts';

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
  return `${shown.join('\n').replace(label, styleText('red', label, { stream }))}\n`;
}

/** A line that begins with blanks quotes a file and is not wrapped. */
function fitted(line: string, width: number): string[] {
  return line.startsWith(' ') ? [line] : wrapped(line, width);
}
