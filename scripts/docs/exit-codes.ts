import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import { errorCatalog } from '../../src/core/errors.ts';
import { table } from './markdown.ts';

const again = {
  soon: 'soon',
  next: 'with the next regular run',
  person: 'when a person has looked at it',
} as const;

/** The text of docs/exit-codes.md, for authors of schedulers and people on call. */
export function exitCodesPage(): string {
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# Exit codes

The code says whether to start again, and when. Whatever it says, starting again is safe: an answer
that was paid for is in the ledger and is not paid for twice while the job's \`reuse\` allows it.

${table(
  ['exit', 'means', 'start it again'],
  Object.entries(exitCodes).map(([code, facts]) => [code, facts.means, again[facts.again]]),
)}

- **soon**: after a pause, as often as you like. The run goes on where it was.
- **with the next regular run**: not at once. After 75 an immediate start would spend another
  \`budget.perStart\`, or meet the same throttle; after 3 it would only ask again what has just failed
  several times.
- **when a person has looked at it**: the next start would end the same way; only after 4 the next regular
  one may fix it by itself, since it looks up again what had vanished.

137 is not Dossier's: something killed the process, often for its memory. It counts as *soon*. 99, which
Airflow reads as "skipped", is never used.

## What to do

${Object.keys(exitCodes).map(Number).map(section).join('\n\n')}
`;
}

function section(code: number): string {
  const facts = Object.entries(exitCodes).find(([exit]) => Number(exit) === code)?.[1];
  const errors = Object.entries(errorCatalog).filter(([, { exitCode }]) => exitCode === code);
  const rows = errors.map(([name, { remedy }]) => [`\`${name}\``, remedy]);
  const list = rows.length > 0 ? `\n\n${table(['printed as', 'remedy'], rows)}` : '';
  return `### ${code}: ${facts?.means}\n\n${facts?.advice}${list}`;
}
