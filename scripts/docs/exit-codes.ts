import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import { errorCatalog } from '../../src/core/errors.ts';
import { fillIn, table } from './markdown.ts';

const again = {
  soon: 'soon',
  next: 'with the next regular run',
  person: 'when a person has looked at it',
} as const;

/** docs/exit-codes.md, for authors of schedulers and people on call. */
export function exitCodesPage(): string {
  return fillIn('docs/exit-codes.md', {
    codes: table(
      ['exit', 'means', 'start it again'],
      Object.entries(exitCodes).map(([code, facts]) => [code, facts.means, again[facts.again]]),
    ),
    advice: Object.keys(exitCodes).map(Number).map(section).join('\n\n'),
  });
}

function section(code: number): string {
  const facts = Object.entries(exitCodes).find(([exit]) => Number(exit) === code)?.[1];
  const errors = Object.entries(errorCatalog).filter(([, { exitCode }]) => exitCode === code);
  const rows = errors.map(([name, { remedy }]) => [`\`${name}\``, remedy]);
  const list = rows.length > 0 ? `\n\n${table(['printed as', 'remedy'], rows)}` : '';
  return `### ${code}: ${facts?.means}\n\n${facts?.advice}${list}`;
}
