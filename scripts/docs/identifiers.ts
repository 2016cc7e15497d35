import { countryNames } from '../../src/core/contract/countries.ts';
import { rejectCatalog, rejectCodes } from '../../src/core/identify/identifier.ts';
import { acceptedFamilies, rejectExamples } from './identifier-examples.ts';
import { fillIn, table } from './markdown.ts';

/** docs/identifiers.md, from the tables that the parsers are tested with. */
export function identifiersPage(): string {
  const accepted = acceptedFamilies.map(({ title, rule, examples }) => {
    const rows = examples.map(({ input, as, kind, value }) => [code(input), as, kind, code(value)]);
    return [`### ${title}`, rule, table(['cell', 'read as', 'kind', 'value'], rows)].join('\n\n');
  });
  const rejected = rejectCodes.map((reject) => {
    const { message, fix } = rejectCatalog[reject];
    const cells = rejectExamples[reject].map(([input, as]) => `${code(input)} as ${as}`);
    return [`\`${reject}\``, message, fix, cells.join('<br>')];
  });
  return fillIn('docs/identifiers.md', {
    accepted: accepted.join('\n\n'),
    countries: table(['code', 'name'], Object.entries(countryNames)),
    rejected: table(['code', 'means', 'what to do', 'for example'], rejected),
  });
}

function code(text: string): string {
  return text === '' ? '(empty)' : `\`${text}\``;
}
