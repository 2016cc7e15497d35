import { z } from 'zod';
import { toMicros } from '../../core/values/money.ts';
import { group, localPath, matching, readAs, wholeNumber } from './fields.ts';
import { Reuse } from './input-fields.ts';
import { Limits, Price, Service } from './service-fields.ts';

export const serviceName = matching(
  /^[a-z][a-z0-9-]{0,31}$/,
  'the name of a service: a-z, 0-9 and -, at most 32 characters',
);

const { url, key, keyFile, share } = Service.shape;

const expectedAmount = 'calls such as 500, or money such as 100 AUD';

const amount = z
  .union(
    [
      wholeNumber(0).transform((requests) => ({ requests })),
      readAs(
        matching(/^\d{1,9}(?:\.\d{1,6})? [A-Z]{3}$/, expectedAmount),
        expectedAmount,
        (written) => {
          const [number, currency = ''] = written.split(' ');
          const micros = toMicros(Number(number));
          return micros === undefined ? undefined : { micros, currency };
        },
      ),
    ],
    expectedAmount,
  )
  .optional();

const ServiceBudget = group({
  perStart: amount.describe('Most that one start of a command may use.'),
  perDay: amount.describe('Most in a day, of all jobs on the ledger.'),
  perMonth: amount.describe('Most in a calendar month, of all jobs on the ledger.'),
}).describe('Limits by calls (`500`) or by money (`100 AUD`). A job can only have a tighter one.');

const DescribedService = group({
  url: url
    .unwrap()
    .optional()
    .describe(
      'URL of the service, or `embedded` for the sample data. With `adapter`, in place of the URL in that file.',
    ),
  adapter: localPath('the path of an adapter')
    .optional()
    .describe('File that describes the service, relative to this file. Default: none is needed.'),
  key: key
    .unwrap()
    .optional()
    .describe(`Environment variable that holds the key: \`\${NAME}\`. Never write the key itself.`),
  keyFile: keyFile
    .unwrap()
    .optional()
    .describe('File that holds only the key, relative to this file. Use it instead of `key`.'),
  share,
  price: Price.extend({
    charged: Price.shape.charged
      .unwrap()
      .optional()
      .describe('`hits` or `answers`. Default: what the adapter says, else `answers`.'),
  })
    .optional()
    .describe('Price of a call.'),
  rate: Limits.shape.rate.unwrap().optional().describe('Calls per second, or `none`.'),
  budget: ServiceBudget.optional(),
  reuse: Reuse.optional().describe('How long its answers are reused. Default: `reuse` of the job.'),
})
  .refine(({ url: given, adapter }) => given !== undefined || adapter !== undefined, {
    path: ['url'],
    error: 'a url or an adapter',
  })
  .refine((service) => service.key === undefined || service.keyFile === undefined, {
    path: ['keyFile'],
    error: 'either key or keyFile, not both',
  })
  .superRefine(({ budget = {}, price }, problems) => {
    for (const [period, limit] of Object.entries(budget)) {
      if (!limit || !('micros' in limit)) continue;
      const isPriced = price?.company !== undefined && price.currency === limit.currency;
      const message = `calls, or a price.company in ${limit.currency}, by which money is counted`;
      if (!isPriced) problems.addIssue({ code: 'custom', path: ['budget', period], message });
    }
  });

export type DescribedService = z.output<typeof DescribedService>;

export const Services = group({
  services: z
    .record(serviceName, DescribedService, 'names with services')
    .describe('Services by the name that jobs give them.'),
});
