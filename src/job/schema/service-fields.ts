import { z } from 'zod';
import { isTimezone, timezoneNames } from '../../core/values/calendar.ts';
import { confirmAbove, defaultRate, highestRate, lowestRate } from '../../core/values/defaults.ts';
import { toMicros } from '../../core/values/money.ts';
import { defaultProvider, namedProviders } from '../../engine/providers/providers.ts';
import { isServiceUrl } from '../../engine/providers/service-url.ts';
import { isAddress, keyVariable, redisAddress } from '../read-address.ts';
import {
  addressOrVariable,
  choice,
  duration,
  fromText,
  group,
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
  .meta({
    flag: 'Redis through which machines share the rate limit and answers (redis://…, rediss://…)',
  });

function money(max: number, expected: string) {
  const amount = z.number(expected).min(0, expected).max(max, expected);
  return fromText(readAs(amount, expected, toMicros));
}

const amount = money(Number.MAX_SAFE_INTEGER, 'an amount with at most six decimals, such as 12.50');

const micros = money(1000, 'a price from 0 to 1000 with at most six decimals, such as 0.12');

const requests = () => wholeNumber(0).optional();

export const Budget = group({
  perStart: requests()
    .describe('Maximum calls each time the command is started. `--max-calls` overrides it.')
    .meta({ flag: 'Make at most this many calls; run again to continue' }),
  perDay: requests().describe(
    'Maximum calls in a day at the address of the service, across all jobs and `lookup` commands on the ledger.',
  ),
  perMonth: requests().describe('Maximum calls in a calendar month, counted like `perDay`.'),
  timezone: text('a time zone')
    .refine(isTimezone, {
      error: 'a time zone such as UTC or Australia/Sydney',
      params: {
        // A getter, because listing all time zones is slow.
        get choices() {
          return timezoneNames();
        },
      },
    })
    .default('UTC')
    .describe('Time zone in which days and months begin, such as `Australia/Sydney`.'),
  confirmAbove: amount
    .prefault(confirmAbove.money)
    .describe(
      'In a terminal, `run` asks before it may spend more than this, in the currency of the price. Without a price, it asks above 100 calls. `--yes` skips the question.',
    ),
});

export const MaxSpend = amount.meta({
  flag: 'Spend at most this much, in the currency of service.price; run again to continue',
});

export const Price = group({
  company: micros.optional().describe('Price of a company call. Unset means unknown, not free.'),
  people: micros.optional().describe('Price of a page of people. Unset means unknown, not free.'),
  currency: matching(
    /^[A-Z]{3}$/,
    'a currency code of three capital letters, such as AUD',
  ).describe('Currency code, such as `AUD`.'),
  charged: choice(['hits', 'answers'])
    .default('answers')
    .describe(
      '`hits`: only hits are charged. `answers`: misses are charged too. In both cases unanswered calls count as possibly charged.',
    ),
});

const expectedRate = `calls a second, from ${lowestRate} to ${highestRate}, or none`;

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
      'Maximum calls per second, counting every attempt. `none` removes the limit. The service can lower the rate by throttling.',
    )
    .meta({ flag: 'Calls per second, or none' }),
  concurrency: wholeNumber(1, 256)
    .prefault(8)
    .describe('Maximum calls at the same time.')
    .meta({ flag: 'Maximum calls at the same time' }),
  timeout: duration('100ms', '1h').prefault('30s').describe('Timeout of one attempt.'),
  attempts: wholeNumber(1, 20)
    .prefault(4)
    .describe('Attempts per call before its rows count as failed.'),
  maxWait: duration('0s', '7d')
    .prefault('15m')
    .describe(
      'Longest wait that the service may request. If it requests more, the run stops. A run with `share` also waits this long for Redis.',
    ),
});

const expectedKey = `the name of an environment variable, as in \${${keyVariable}}`;

export const Service = group({
  url: text()
    .refine(isServiceUrl, 'embedded, or an http(s) URL without user name, password, ? or #')
    .optional()
    .describe(
      'URL of the Company Data Service, or `embedded` for the bundled sample data (free and offline). All spellings of a URL are one service. DOSSIER_URL overrides it.',
    )
    .meta({ flag: 'URL of the service, or the word embedded to use the sample data' }),
  adapter: choice(namedProviders)
    .optional()
    .describe(
      `Provider of the service, which decides how it is asked and what its answers mean. Default: \`${defaultProvider}\`.`,
    ),
  key: matching(/^\$\{[A-Za-z_]\w*\}$/, `${expectedKey}: never write the key itself into a file`)
    .optional()
    .describe(
      `Environment variable that holds the key: \`\${${keyVariable}}\` by default. Never write the key itself here.`,
    ),
  keyFile: localPath('the path of a file')
    .optional()
    .describe(
      'File that holds only the key; use it instead of `key`. DOSSIER_API_KEY overrides it.',
    )
    .meta({ flag: 'File that holds the key' }),
  share: addressOrVariable(redisAddress)
    .optional()
    .describe(
      secret(
        'Redis through which machines share the rate and answers of this key: `redis://user:password@host:6379/0`, or `rediss://` for TLS. DOSSIER_SHARE overrides it; an empty value turns sharing off. Default: nothing is shared.',
        shareVariable,
      ),
    ),
  price: Price.optional().describe(
    'Price of a call. Plans, runs, reports and `dossier spend` then also show money.',
  ),
}).refine(({ key, keyFile }) => key === undefined || keyFile === undefined, {
  path: ['keyFile'],
  error: 'either key or keyFile, not both',
});
