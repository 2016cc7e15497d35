import { z } from 'zod';
import { isTimezone, timezoneNames } from '../../runtime/budget/calendar.ts';
import { toMicros } from '../../runtime/budget/money.ts';
import { defaultRate, highestRate, lowestRate } from '../../runtime/terms.ts';
import { isAddress, redisAddress } from '../read-address.ts';
import { keyVariable } from '../read-key.ts';
import {
  addressOrVariable,
  byteSize,
  choice,
  duration,
  group,
  isServiceUrl,
  localPath,
  readAs,
  text,
  wholeNumber,
} from './fields.ts';

/** Names the Redis for all jobs of a machine. */
export const shareVariable = 'DOSSIER_SHARE';

const expectedFlag = `an ${redisAddress.name}`;

/** The address of a Redis as a flag. */
export const ShareFlag = z
  .string(expectedFlag)
  .refine((written) => isAddress(written, redisAddress), expectedFlag)
  .meta({ flag: 'Redis through which machines share rate and answers (redis://…, rediss://…)' });

export const ShareKeys = group({
  url: addressOrVariable(redisAddress).describe(
    `Address of the Redis: \`redis://user:password@host:6379/0\`, or \`rediss://\` for TLS. A secret: better \`\${${shareVariable}}\` than the address itself.`,
  ),
  keepCompanies: duration('1s', '30d')
    .prefault('1d')
    .describe('How long answers about companies stay in Redis after they were fetched.'),
  keepPeople: duration('1s', '30d')
    .prefault('1h')
    .describe(
      'The same for answers to people searches, which are personal data: no longer than runs need to find them.',
    ),
  memory: byteSize('1MB', '1TB')
    .prefault('256MB')
    .describe('How many bytes of answers may lie in Redis for this service and key.'),
});

/** An address alone stands for a share with the defaults. */
const Share = z.union(
  [addressOrVariable(redisAddress).transform((url) => ShareKeys.parse({ url })), ShareKeys],
  `${expectedFlag}, or a variable that holds one; or {url: …, keepCompanies: …, keepPeople: …, memory: …}`,
);

const requests = () => wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional();

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
        // Listed only for a wrong zone: finding them takes longer than the rest of the schema.
        get choices() {
          return timezoneNames();
        },
      },
    })
    .default('UTC')
    .describe('Where days and months begin, such as `Australia/Sydney`.'),
});

const expectedPrice = 'a price from 0 to 1000 with at most six decimals, such as 0.12';

const price = z.number(expectedPrice).min(0, expectedPrice).max(1000, expectedPrice);
const micros = readAs(price, expectedPrice, toMicros);

const Price = group({
  company: micros.describe('For a company lookup.'),
  people: micros.prefault(0).describe('For a page of people.'),
  currency: z
    .string('a currency code')
    .regex(/^[A-Z]{3}$/, 'a currency code of three capital letters, such as AUD')
    .describe('Code of the currency, such as `AUD`.'),
  charged: choice(['hits', 'answers'])
    .default('answers')
    .describe(
      'Whether only `hits` are charged, or all `answers`, misses too. What brought no answer counts as charged in either case, since nobody can tell.',
    ),
});

const expectedRate = `requests a second, from ${lowestRate} to ${highestRate}, or none`;

export const Limits = group({
  rate: z
    .union(
      [
        z.number(expectedRate).min(lowestRate, expectedRate).max(highestRate, expectedRate),
        z.literal('none'),
      ],
      expectedRate,
    )
    .default(defaultRate)
    .describe(
      'Most requests a second, every attempt counted. `none` lifts the limit. The service may lower it: throttles and `RateLimit` headers are heeded.',
    )
    .meta({ flag: 'Requests a second, or none' }),
  concurrency: wholeNumber({ min: 1, max: 256 })
    .default(8)
    .describe('Calls in flight at a time.')
    .meta({ flag: 'Calls under way at once' }),
  timeout: duration('100ms', '1h').prefault('30s').describe('Time for the whole of one attempt.'),
  attempts: wholeNumber({ min: 1, max: 20 })
    .default(4)
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
  key: z
    .string(expectedKey)
    .regex(/^\$\{[A-Za-z_]\w*\}$/, `${expectedKey}: a key itself does not belong in a job file`)
    .optional()
    .describe(
      `Which environment variable holds the key; \`\${${keyVariable}}\` when absent. The key itself may not stand here.`,
    ),
  keyFile: localPath('the path of a file')
    .optional()
    .describe('File that holds the key and nothing else, instead of `key`.')
    .meta({ flag: 'File that holds the key' }),
  share: Share.optional().describe(
    `Redis through which runs on other machines share the rate and the answers of this key: its address, or the keys below. A secret: better \`\${${shareVariable}}\` than the address itself. ${shareVariable} comes first; set and empty, it turns sharing off. Absent: nothing is shared.`,
  ),
  price: Price.optional().describe(
    'What the service charges for a request. With it, plans, runs, reports and `dossier spend` tell money, too.',
  ),
}).refine(({ key, keyFile }) => key === undefined || keyFile === undefined, {
  path: ['keyFile'],
  error: 'either key or keyFile, not both',
});
