import { z } from 'zod';
import { string } from '../values/fields.ts';

/** Does not stop or hold a run, but somebody should look. */
export const Warning = z.strictObject({
  kind: z
    .enum(['gone_column', 'misfit'])
    .describe(
      '`gone_column`: the last published run of the same list had this column. `misfit`: values of this field have the wrong type, so they are in `company_extra`.',
    ),
  name: string('Column of the list, or field of the companies.'),
  message: string('The warning in a sentence.'),
});
export type Warning = z.output<typeof Warning>;
