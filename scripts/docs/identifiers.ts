import { countryNames } from '../../src/core/contract/countries.ts';
import { rejectCatalog, rejectCodes } from '../../src/core/identify/identifier.ts';
import { acceptedFamilies, rejectExamples } from './identifier-examples.ts';
import { table } from './markdown.ts';

/** The text of docs/identifiers.md, from the tables that the parsers are tested with. */
export function identifiersPage(): string {
  return [
    '# Identifiers',
    '',
    'Dossier reads every cell offline before it asks the service anything. A cell either becomes a',
    'clean identifier or is rejected with a reason, so you never pay for a typo.',
    'Try it: `dossier identify leads.csv --summary`.',
    '',
    'First the cell is cleaned: full-width and other compatibility characters become plain ones, other dashes hyphens,',
    'invisible characters go, and so do wrapping quotes, `<…>` and the `="…"` of spreadsheets.',
    'A cell may repeat one value in several spellings; different values are rejected.',
    '',
    '## What is accepted',
    '',
    ...acceptedFamilies.flatMap(({ title, rule, examples }) => [
      `### ${title}`,
      '',
      rule,
      '',
      table(
        ['cell', 'read as', 'kind', 'value'],
        examples.map(({ input, as, kind, value }) => [code(input), as, kind, code(value)]),
      ),
      '',
    ]),
    '### Countries',
    '',
    'The country of a row may be a code, a three-letter code, an English name or a common form of',
    'it (`Viet Nam`, `U.S.`, `Hong Kong SAR`). An empty cell takes the default of the job.',
    '',
    table(['code', 'name'], Object.entries(countryNames)),
    '',
    '## What is rejected, and what to do',
    '',
    table(
      ['code', 'means', 'what to do', 'for example'],
      rejectCodes.map((reject) => {
        const { message, fix } = rejectCatalog[reject];
        const cells = rejectExamples[reject].map(([input, as]) => `${code(input)} as ${as}`);
        return [`\`${reject}\``, message, fix, cells.join('<br>')];
      }),
    ),
    '',
  ].join('\n');
}

function code(text: string): string {
  return text === '' ? '(empty)' : `\`${text}\``;
}
