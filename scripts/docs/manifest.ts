import { Manifest } from '../../src/results/manifest.ts';
import { fieldTable } from './field-table.ts';
import { fillIn } from './markdown.ts';

/** docs/manifest.md, from the schema that every export is written by. */
export function manifestPage(): string {
  return fillIn('docs/manifest.md', { fields: fieldTable(Manifest) });
}
