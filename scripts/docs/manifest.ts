import { Manifest } from '../../src/results/manifest.ts';
import { fieldTable } from './field-table.ts';

/** The text of docs/manifest.md, from the schema that every export is written by. */
export function manifestPage(): string {
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# manifest.json

Every export writes it last, beside its files, so that it stands for a whole result. Load the files that it names
when it says \`"complete": true\` and \`"held": null\`; anything else lies in \`held-<run>\`, or is a first result that
has not finished. What differs from \`dossier run --json\`: \`calls\`, \`requests\` and \`money\` are those of the whole
run, with all its starts, and not of the last start alone. \`money\` is a list, as the price of a job may have changed its
currency between two starts.

${fieldTable(Manifest)}
`;
}
