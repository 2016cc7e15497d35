import { z } from 'zod';
import { isTimezone, timezoneNames } from '../../core/runtime/budget/calendar.ts';
import { toMicros } from '../../core/runtime/budget/money.ts';
import { defaultRate, highestRate, lowestRate } from '../../core/runtime/terms.ts';
import { isAddress, keyVariable, redisAddress } from '../read-address.ts';
import {
  addressOrVariable,
  choice,
  duration,
  fromText,
  group,
  isServiceUrl,
  localPath,
  matching,
  readAs,
  secret,
  text,
  wholeNumber,
} from './fields.ts';

export const shareVariable = 'DOSSIER_SHARE';

const expectedFlag = `an ${redisAddress.name}`;

export const ShareFlag = z
  .string(expectedFlag)
  .refine((written) => isAddress(written, redisAddress), expectedFlag)
  .meta({ flag: 'Redis through which machines share rate and answers (redis://…, rediss://…)' });

const requests = () => wholeNumber(0).optional();

export const Budget = group({
  perStart: requests()
    .describe('The most requests that one start may be charged for. `--max-calls` comes first.')
    .meta({ flag: 'Send at most this many requests that may be charged; run again to go on' }),
  perDay: requests().describe(
    'The most that a day may be charged for, with this service and key, over all jobs, lookups and processes on the ledger.',
  ),
  perMonth: requests().describe('The same for a month of the calendar.'),
  timezone: text('a time zone')
    .refine(isTimezone, {
      error: 'a time zone such as UTC or Australia/Sydney',
      params: {
        // A getter, because listing the zones takes longer than the rest of the schema.
        get choices() {
          return timezoneNames();
        },
      },
    })
    .default('UTC')
    .describe('Where days and months begin, such as `Australia/Sydney`.'),
});

/** In millionths. */
function money(max: number, expected: string) {
  const amount = z.number(expected).min(0, expected).max(max, expected);
  return fromText(readAs(amount, expected, toMicros));
}

const micros = money(1000, 'a price from 0 to 1000 with at most six decimals, such as 0.12');

export const MaxSpend = money(
  Number.MAX_SAFE_INTEGER,
  'an amount with at most six decimals, such as 12.50',
).meta({ flag: 'Spend at most this much, in the currency of service.price; run again to go on' });

const Price = group({
  company: micros.optional().describe('For a company lookup. Not set means unknown, not free.'),
  people: micros.optional().describe('For a page of people. Not set means unknown, not free.'),
  currency: matching(
    /^[A-Z]{3}$/,
    'a currency code of three capital letters, such as AUD',
  ).describe('Code of the currency, such as `AUD`.'),
  charged: choice(['hits', 'answers'])
    .default('answers')
    .describe(
      'Whether only `hits` are charged, or all `answers`, misses too. Unanswered requests count as possibly charged in both cases.',
    ),
});

const expectedRate = `requests a second, from ${lowestRate} to ${highestRate}, or none`;

export const Limits = group({
  rate: fromText(
    z.union(
      [
        z.number(expectedRate).min(lowestRate, expectedRate).max(highestRate, expectedRate),
        z.literal('none'),
      ],
      expectedRate,
    ),
  )
    .prefault(defaultRate)
    .describe(
      'Most requests a second, every attempt counted. `none` lifts the limit. The service may lower it: throttles and `RateLimit` headers are heeded.',
    )
    .meta({ flag: 'Requests a second, or none' }),
  concurrency: wholeNumber(1, 256)
    .prefault(8)
    .describe('Calls in flight at a time.')
    .meta({ flag: 'Calls under way at once' }),
  timeout: duration('100ms', '1h').prefault('30s').describe('Time for the whole of one attempt.'),
  attempts: wholeNumber(1, 20)
    .prefault(4)
    .describe('How often one call is tried before its rows count as failed.'),
  maxWait: duration('0s', '7d')
    .prefault('15m')
    .describe(
      'Longest wait that the service may ask for before the run stops instead. A run that shares waits as long for Redis.',
    ),
});

const expectedKey = `the name of an environment variable, as in \${${keyVariable}}`;

export const Service = group({
  url: text()
    .refine(isServiceUrl, 'embedded, or an http(s) address without user name, password, ? or #')
    .optional()
    .describe(
      'Address of the Company Data Service, or `embedded`: the bundled service over the sample data, free and offline, which is said wherever it answers. DOSSIER_URL comes first.',
    )
    .meta({ flag: 'Address of the service, or embedded for the sample data' }),
  key: matching(
    /^\$\{[A-Za-z_]\w*\}$/,
    `${expectedKey}: a key itself does not belong in a job file`,
  )
    .optional()
    .describe(
      `Which environment variable holds the key; \`\${${keyVariable}}\` when absent. The key itself may not stand here.`,
    ),
  keyFile: localPath('the path of a file')
    .optional()
    .describe(
      'File that holds the key and nothing else, instead of `key`. DOSSIER_API_KEY comes first.',
    )
    .meta({ flag: 'File that holds the key' }),
  share: addressOrVariable(redisAddress)
    .optional()
    .describe(
      secret(
        'Address of the Redis through which runs on other machines share the rate and the answers of this key: `redis://user:password@host:6379/0`, or `rediss://` for TLS. DOSSIER_SHARE comes first; set and empty, it turns sharing off. Absent: nothing is shared.',
        shareVariable,
      ),
    ),
  price: Price.optional().describe(
    'What the service charges for a request. With it, plans, runs, reports and `dossier spend` tell money, too.',
  ),
}).refine(({ key, keyFile }) => key === undefined || keyFile === undefined, {
  path: ['keyFile'],
  error: 'either key or keyFile, not both',
});
