import { z } from 'zod';
import { counted } from '../runtime/format.ts';
import { count, string } from '../runtime/json/fields.ts';

/** Does not stop or hold a run, but somebody should look. */
export const Warning = z.strictObject({
  kind: z
    .enum(['gone_column', 'misfit'])
    .describe(
      '`gone_column`: the last published run of the same list had this column. `misfit`: values of this field have the wrong type, so they are in `company_extra`.',
    ),
  name: string('Column of the list, or field of the companies.'),
  values: count('Number of values that did not fit. Only for `misfit`.').exactOptional(),
  message: string('The warning in a sentence.'),
});
export type Warning = z.output<typeof Warning>;

/** A header may be a whole survey question. */
const longestName = 60;

export function goneColumns(
  before: readonly string[],
  now: readonly string[],
  since: string,
): Warning[] {
  return before
    .filter((name) => !now.includes(name))
    .map((name) => ({
      kind: 'gone_column',
      name,
      message: `column ${name.slice(0, longestName)} is gone since ${since}`,
    }));
}

export function openMisfits() {
  const found = new Map<string, { values: number; readonly expected: string }>();
  return {
    add(name: string, expected: string) {
      const field = found.get(name) ?? { values: 0, expected };
      field.values += 1;
      found.set(name, field);
    },
    warnings: (): Warning[] =>
      [...found].map(([name, { values, expected }]) => ({
        kind: 'misfit',
        name,
        values,
        message: `${name}: ${counted(values, 'value')} did not fit (expected ${expected})`,
      })),
  };
}

const warningsShown = 5;

/** For people; the manifest has all. */
export function warningTexts(warnings: readonly Warning[] | null): string[] {
  const all = warnings ?? [];
  const texts = all.slice(0, warningsShown).map(({ message }) => message);
  const more = all.length - texts.length;
  return more > 0 ? [...texts, `${counted(more, 'more warning')}: see the manifest`] : texts;
}
