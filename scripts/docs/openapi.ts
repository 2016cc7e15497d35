import { z } from 'zod';
import { Company, Person } from '../../src/core/contract/company.ts';
import { Country } from '../../src/core/contract/countries.ts';
import { identifierKinds } from '../../src/core/contract/identifier-kinds.ts';
import { CompanyLookup, PeopleSearch } from '../../src/engine/providers/company-data/operations.ts';
import {
  Problem,
  type ProblemCode,
  problems,
  statusOf,
} from '../../src/engine/providers/company-data/problem.ts';

const commonProblems: ProblemCode[] = [
  'REQUEST_MALFORMED',
  'KEY_MISSING',
  'KEY_WRONG',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
];

export const operationProblems = {
  lookUpCompany: [
    'NO_IDENTIFIER',
    'COUNTRY_UNSUPPORTED',
    'PARAMETER_REPEATED',
    'COMPANY_UNKNOWN',
    ...commonProblems,
  ],
  searchPeople: [
    'COUNTRY_UNSUPPORTED',
    'BODY_NOT_JSON',
    'COMPANY_ID_MISSING',
    'SENIORITY_UNKNOWN',
    'DEPARTMENT_UNKNOWN',
    'FROM_INVALID',
    'SIZE_INVALID',
    'POSITION_INVALID',
    'BODY_TOO_LARGE',
    'BODY_TYPE_UNSUPPORTED',
    ...commonProblems,
  ],
  reconcile: [
    'QUERIES_INVALID',
    'TOO_MANY_QUERIES',
    'BODY_TOO_LARGE',
    'BODY_TYPE_UNSUPPORTED',
    ...commonProblems,
  ],
} as const satisfies Record<string, ProblemCode[]>;

export function describeApi(version: string) {
  const { CompanyLookup: lookup, ...schemas } = sharedSchemas();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Company Data Service',
      version,
      description: 'Business data about companies and the people who work at them.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'companies' }, { name: 'people' }, { name: 'names' }, { name: 'service' }],
    paths: {
      '/company': {
        get: {
          operationId: 'lookUpCompany',
          tags: ['companies'],
          summary: 'Look up a company by one identifier',
          description:
            `If several identifiers are sent, the first of ${identifierKinds.join(', ')} is used. ` +
            'A blank parameter counts as absent.',
          parameters: queryParameters(lookup),
          responses: {
            200: json('The company.', ref('Company')),
            ...problemResponses(operationProblems.lookUpCompany),
          },
        },
      },
      '/people/search': {
        post: {
          operationId: 'searchPeople',
          tags: ['people'],
          summary: 'Find people at one company',
          description:
            'People must match all filters. Results are ordered by seniority, then person_id, so ' +
            'pages never overlap. The array is empty if nothing is found or the company is unknown.',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: ref('PeopleSearch') } },
          },
          responses: {
            200: json('The people on this page.', { type: 'array', items: ref('Person') }),
            ...problemResponses(operationProblems.searchPeople),
          },
        },
      },
      '/reconcile': {
        get: reconciliation('describeReconciliation', 'the manifest, if no query is sent'),
        post: {
          ...reconciliation('reconcile', 'candidates or properties'),
          requestBody: {
            required: true,
            content: { 'application/x-www-form-urlencoded': { schema: reconciliationForm } },
          },
        },
      },
      '/healthz': {
        get: {
          operationId: 'checkHealth',
          tags: ['service'],
          summary: 'Report that the service responds and how many records it holds',
          security: [],
          responses: {
            200: json('The service responds.', {
              type: 'object',
              required: ['status', 'companies', 'people'],
              properties: {
                status: { const: 'ok' },
                companies: { type: 'integer' },
                people: { type: 'integer' },
              },
            }),
            ...problemResponses(['INTERNAL']),
          },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'describeService',
          tags: ['service'],
          summary: 'Return this document',
          security: [],
          responses: {
            200: json('The OpenAPI document.', { type: 'object' }),
            ...problemResponses(['INTERNAL']),
          },
        },
      },
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas,
    },
  };
}

const reconciliationForm = {
  type: 'object',
  properties: { queries: { type: 'string' }, extend: { type: 'string' } },
};

function reconciliation(operationId: string, returned: string) {
  return {
    operationId,
    tags: ['names'],
    summary: `Reconciliation Service API 0.2 over company names (\`serve --register\`): ${returned}`,
    responses: {
      200: json('As the Reconciliation Service API 0.2 says.', { type: 'object' }),
      ...problemResponses(operationProblems.reconcile),
    },
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function queryParameters(lookup: JsonSchema | undefined) {
  return Object.entries((lookup?.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, { description, ...schema }]) => ({ name, in: 'query', description, schema }),
  );
}

function sharedSchemas(): Record<string, JsonSchema> {
  const all = z.tuple([Company, Person, CompanyLookup, PeopleSearch, Problem, Country]);
  const { $defs } = z.toJSONSchema(all, { io: 'input', override: dropIntegerBounds });
  const text = JSON.stringify($defs).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Record<string, JsonSchema>;
}

/** zod adds JavaScript's limits to every integer. */
function dropIntegerBounds({ jsonSchema }: { jsonSchema: JsonSchema }) {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function problemResponses(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(codes, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, causes]) => [
      status,
      {
        ...json(causes.map((code) => problems[code].message).join(' '), ref('Problem')),
        ...(responseHeaders[status] && { headers: responseHeaders[status] }),
      },
    ]),
  );
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

const responseHeaders: Record<number, Record<string, ReturnType<typeof header>>> = {
  401: { 'WWW-Authenticate': header('Always `Bearer`.') },
  429: { 'Retry-After': header('Seconds to wait.') },
};

function json(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } };
}

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}
