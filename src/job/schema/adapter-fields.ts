import { z } from 'zod';
import { companyFields } from '../../core/columns/table-columns.ts';
import { type IdentifierKind, kindWords } from '../../core/contract/identifier-kinds.ts';
import { placeholder } from '../../engine/providers/adapter/build-requests.ts';
import {
  type AdapterDefinition,
  type Ask,
  type FieldRule,
  type NamedVerdict,
  namedVerdicts,
} from '../../engine/providers/adapter/definition.ts';
import { pathPattern } from '../../engine/providers/adapter/paths.ts';
import { sampleData } from '../../engine/providers/providers.ts';
import { isServiceUrl } from '../../engine/providers/service-url.ts';
import { choice, fromText, group, listOf, matching, text } from './fields.ts';

const path = () =>
  fromText(z.union([z.int().min(0), z.string()], expectedPath))
    .transform(String)
    .refine((given) => pathPattern.test(given), expectedPath);
const expectedPath = 'names and indexes with dots between them, such as data.0.name';

const headerName = matching(/^[A-Za-z0-9-]+$/, 'the name of a header, such as X-Api-Key');
const addressPath = matching(
  /^\/(?!\/)[^\s?#\\]*$/,
  'a path at the address of the service that begins with one slash, such as /companies/find',
);

const scalar = z.union([z.string(), z.number(), z.boolean()], 'text, a number, true or false');
const query = z
  .record(z.string(), scalar.transform(String), 'names with values')
  .prefault({})
  .describe('Parameters of the address. They are percent-encoded.');

const Asking = group({
  get: addressPath.optional().describe('Path of a GET request, after the address of the service.'),
  post: addressPath.optional().describe('Path of a POST request. Give `get` or `post`.'),
  query,
  body: z
    .json()
    .optional()
    .describe(`JSON body of a POST request. \`${placeholder}\` stands for the identifier.`),
}).transform(({ get, post, query, body }, problems): Ask => {
  const problem = (message: string) => problems.addIssue(message);
  if ((get === undefined) === (post === undefined)) problem('get or post');
  if (get !== undefined && body !== undefined) problem('post, because a get has no body');
  if (!JSON.stringify([get, post, Object.values(query), body]).includes(placeholder)) {
    problem(`${placeholder} where the identifier stands`);
  }
  return {
    method: post === undefined ? 'GET' : 'POST',
    path: get ?? post ?? '',
    query,
    ...(body !== undefined && { body }),
  };
});

const Rule = group({
  status: fromText(
    z.int('an HTTP status').min(100, 'an HTTP status').max(599, 'an HTTP status'),
  ).describe('HTTP status.'),
  where: path().optional().describe('Path in the answer.'),
  is: scalar.optional().describe('`empty`, `missing`, or the value that stands there.'),
}).refine(({ where, is }) => (where === undefined) === (is === undefined), {
  error: 'where and is together: `where: data`, `is: empty`',
});

const ruleTexts: Record<NamedVerdict, string> = {
  quota: 'The credits are used up. Default: 402. The run stops and can be resumed.',
  refused: 'The key is wrong. Default: 401 and 403. The run stops.',
  throttled:
    'Too many requests. Default: 429. The service waits. After `limits.maxWait`, the run stops.',
  miss: 'There is no such company. Default: 404 and 204. A rule for a status replaces its default.',
};

const Answers = group(
  Object.fromEntries(
    namedVerdicts.map((name) => [name, listOf(Rule, 'rules').optional().describe(ruleTexts[name])]),
  ) as Record<NamedVerdict, z.ZodOptional<z.ZodArray<typeof Rule>>>,
);

export const ourFields = companyFields.values.map((field) => field.path.join('.'));

const Field = z
  .union(
    [
      path(),
      listOf(path(), 'paths'),
      group({
        join: listOf(path(), 'paths').describe('Paths of which the values become one text.'),
        with: z.string('text').default(' ').describe('Text between the values.'),
      }),
    ],
    'a path, a list of paths, or join with a list of paths',
  )
  .transform((given): FieldRule => {
    if (typeof given === 'string') return { paths: [given] };
    return Array.isArray(given) ? { paths: given } : { paths: given.join, joinedBy: given.with };
  });

const ourField = z.enum(ourFields as [string, ...string[]], {
  error: ({ input }) => `a field of ours, not ${JSON.stringify(input)}`,
});

const kinds = Object.entries(kindWords).map(([kind, { meaning }]) => [
  kind,
  Asking.optional().describe(meaning),
]);

/** It is sent by `auth`, which takes it from where the service says. */
const keyNames = /^(?:authorization|cookie|(?:x-)?api[-_]?key|(?:access[-_]?)?token|key|secret)$/i;
const noKey = 'no key: never write it into a file; `auth` sends the key that the service names';

export const Adapter = group({
  name: matching(
    /^[a-z][a-z0-9-]{0,31}$/,
    'a name of a-z, 0-9 and -, at most 32 characters',
  ).describe('Name of the adapter in the ledger. Answers belong to it, so never change it.'),
  url: text()
    .refine(
      (url) => url !== sampleData && isServiceUrl(url),
      'an http(s) URL without user name, password, ? or #',
    )
    .describe('Address of the service. Requests only go there.'),
  auth: z
    .union(
      [
        z.enum(['bearer', 'basic']),
        group({ header: headerName.describe('Header that has the key.') }),
        group({
          query: text('the name of a parameter').describe(
            'Parameter of the address that has the key. Prefer a header: addresses are logged by others.',
          ),
        }),
      ],
      'bearer, basic, {header: X-Api-Key} or {query: api_key}',
    )
    .default('bearer')
    .describe('How the key is sent. `basic` takes a key such as `user:password`.'),
  headers: z
    .record(headerName, matching(/^[\x20-\x7e]*$/, 'ASCII text'), 'names with values')
    .prefault({})
    .describe('Other headers that the service demands, such as a version.'),
  company: group(Object.fromEntries(kinds) as Record<IdentifierKind, z.ZodOptional<typeof Asking>>)
    .refine((asked) => Object.values(asked).some(Boolean), 'a request for at least one identifier')
    .describe('How a company is looked up, by kind of identifier. Other kinds are never sent.'),
  answers: Answers.prefault({}).describe(
    'What an answer means, by `status`, and by the value at a path: `where` with `is: empty`, `is: missing` or a value. The first match of quota, refused, throttled and miss counts. What is not named follows the usual rules of HTTP.',
  ),
  charged: choice(['hits', 'answers'])
    .default('answers')
    .describe('`hits`: only companies found are charged. `answers`: misses too.'),
  record: path().default('').describe('Path of the company in the answer. Default: the answer.'),
  fields: z
    .partialRecord(ourField, Field, 'names of our fields with their paths')
    .refine((fields) => fields.id !== undefined, 'id, by which companies are told apart')
    .describe(
      'Our fields, with the path of each below `record`. A list is the first path that has a value. All else in the answer becomes `company_extra`.',
    ),
}).superRefine(({ auth, headers, company }, problems) => {
  const ownHeader = typeof auth === 'object' && 'header' in auth ? auth.header : '';
  const refuse = (at: PropertyKey[], name: string) =>
    problems.addIssue({ code: 'custom', path: [...at, name], message: noKey });
  for (const name of Object.keys(headers)) {
    if (keyNames.test(name) || name.toLowerCase() === ownHeader.toLowerCase()) {
      refuse(['headers'], name);
    }
  }
  for (const [kind, ask] of Object.entries(company)) {
    for (const [name, value] of Object.entries(ask?.query ?? {})) {
      if (keyNames.test(name) && !value.includes(placeholder)) {
        refuse(['company', kind, 'query'], name);
      }
    }
  }
});

type Written = z.output<typeof Adapter>;

/** Each field in the order of the definition, so its JSON is the same for the same rules. */
export function definitionOf({ fields, answers, company, ...adapter }: Written): AdapterDefinition {
  return {
    ...adapter,
    company: withoutAbsent(company),
    answers: withoutAbsent(answers),
    fields: withoutAbsent(fields),
  };
}

function withoutAbsent<Value>(given: Readonly<Partial<Record<string, Value>>>) {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}
