import { z } from 'zod';
import { identifierKinds } from '../../../core/contract/identifier-kinds.ts';

export const Problem = z
  .object({
    error: z.int().describe('Cause of the error; see the list of error codes.'),
    message: z.string().describe('What went wrong, for human readers.'),
  })
  .meta({ id: 'Problem' });

export type Problem = z.output<typeof Problem>;

/** `error` is the HTTP status and two digits, and is never reused. */
export const problems = {
  NO_IDENTIFIER: {
    error: 40001,
    message: `Identify the company by one of ${identifierKinds.slice(0, -1).join(', ')} or ${identifierKinds.at(-1)}.`,
  },
  COUNTRY_UNSUPPORTED: {
    error: 40002,
    message:
      'This country is not supported; use AU, NZ, SG, MY, ID, PH, HK, JP, VN, KR, TH, US or CA.',
  },
  PARAMETER_REPEATED: { error: 40003, message: 'Give each parameter only once.' },
  BODY_NOT_JSON: { error: 40004, message: 'The body is not a JSON object.' },
  COMPANY_ID_MISSING: { error: 40005, message: 'Give companyId, the company to search within.' },
  SENIORITY_UNKNOWN: { error: 40006, message: 'seniority must be an id from "1" to "7".' },
  DEPARTMENT_UNKNOWN: { error: 40007, message: 'department must be an id from "1" to "17".' },
  FROM_INVALID: { error: 40008, message: 'from must be a whole number from "0" to "1000000000".' },
  SIZE_INVALID: { error: 40009, message: 'size must be a whole number from "0" to "100".' },
  POSITION_INVALID: { error: 40010, message: 'position must be a text of at most 200 characters.' },
  URL_MALFORMED: { error: 40011, message: 'The URL of the request is malformed.' },
  REQUEST_MALFORMED: { error: 40012, message: 'The request is not well-formed HTTP.' },
  QUERIES_INVALID: {
    error: 40013,
    message: '`queries` and `extend` must be JSON as in the Reconciliation Service API 0.2.',
  },
  KEY_MISSING: {
    error: 40101,
    message: 'Send a key in the header: Authorization: Bearer <API_KEY>.',
  },
  KEY_WRONG: { error: 40102, message: 'This key is unknown.' },
  COMPANY_UNKNOWN: { error: 40401, message: 'No company with this identifier.' },
  PATH_UNKNOWN: {
    error: 40402,
    message:
      'There is no operation at this path; the operations are GET /company and POST /people/search.',
  },
  METHOD_NOT_ALLOWED: {
    error: 40501,
    message: 'This path does not support the method; see the Allow header.',
  },
  BODY_TOO_LARGE: { error: 41301, message: 'The body is larger than 1 MiB.' },
  TOO_MANY_QUERIES: { error: 41302, message: 'Send at most 50 queries at once.' },
  BODY_TYPE_UNSUPPORTED: { error: 41501, message: 'Send the body as application/json.' },
  TOO_MANY_REQUESTS: { error: 42901, message: 'Too many requests; see the Retry-After header.' },
  INTERNAL: {
    error: 50001,
    message: 'Something went wrong in the service. Send the request again.',
  },
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof problems;

/** `40401 → 404` */
export function statusOf(code: ProblemCode): number {
  return Math.floor(problems[code].error / 100);
}
