import type { Call } from '../../../core/contract/call.ts';
import { isRecord } from '../../../core/values/parse-json.ts';
import type { HttpResponse, Verdict } from '../provider.ts';
import { type Facts, type OwnAnswers, readFacts } from './read-facts.ts';
import { saysNothingFound, speaksOfAddress, speaksOfQuota, speaksOfRecord } from './wording.ts';

interface Rule {
  readonly status: (status: number) => boolean;
  readonly and?: (facts: Facts) => boolean;
  readonly verdict: Verdict['kind'];
}

/** The first matching rule decides. */
const rules: readonly Rule[] = [
  { status: among(402), verdict: 'quota' },
  {
    status: among(400, 403),
    and: ({ problemText }) => speaksOfQuota(problemText),
    verdict: 'quota',
  },
  { status: among(401), verdict: 'refused' },
  { status: among(403), verdict: 'forbidden' },
  { status: among(429), verdict: 'throttled' },
  { status: among(503), and: ({ hasRetryAfter }) => hasRetryAfter, verdict: 'throttled' },
  { status: among(204), verdict: 'miss' },
  { status: among(404, 410), and: isAboutAddress, verdict: 'transient' },
  { status: among(404, 410), and: isAboutRecord, verdict: 'miss' },
  // Plain text or a web page comes from a proxy or another server, so it is not a miss.
  { status: among(404, 410), and: isTextOrPage, verdict: 'transient' },
  { status: among(404, 410), verdict: 'unproven' },
  {
    status: among(400, 422, 500),
    and: ({ problemText }) => saysNothingFound(problemText),
    verdict: 'miss',
  },
  // 407 comes from a proxy, 421 asks for a new connection, 425 for a later try.
  { status: among(407, 408, 421, 425), verdict: 'transient' },
  { status: between(500, 599), verdict: 'transient' },
  { status: between(400, 499), verdict: 'invalid' },
  // 202 only promises an answer, and 206 is only part of one.
  { status: among(202, 206), verdict: 'transient' },
  { status: between(200, 299), and: isUnparsable, verdict: 'transient' },
  { status: between(200, 299), and: hasResult, verdict: 'hit' },
  {
    status: between(200, 299),
    and: ({ json, problemText }) => saysNothing(json) || saysNothingFound(problemText),
    verdict: 'miss',
  },
  // For example `{"status": "maintenance"}`.
  { status: between(200, 299), verdict: 'transient' },
  { status: () => true, verdict: 'unusable' },
];

export function classifyAnswer(
  call: Call,
  answer: HttpResponse,
  hasEverFound: boolean,
  own: OwnAnswers = {},
): Verdict {
  const facts = readFacts(call, answer, own);
  const rule = rules.find(({ status, and }) => status(facts.status) && (and?.(facts) ?? true));
  const message = facts.problem.message;
  switch (rule?.verdict) {
    case 'hit':
      if (facts.companyId === undefined)
        return { kind: 'hit', ...(facts.people?.length === 0 && { isEmpty: true }) };
      return { kind: 'hit', companyId: facts.companyId };
    case 'miss':
    case 'throttled':
      return { kind: rule.verdict };
    case 'unproven':
      return hasEverFound
        ? { kind: 'miss' }
        : { kind: 'unproven', reason: reasonOf(answer, facts) };
    case 'invalid':
    case 'refused':
    case 'forbidden':
    case 'quota':
      return { kind: rule.verdict, message: message || `HTTP ${answer.status}` };
    default:
      return { kind: rule?.verdict ?? 'unusable', reason: reasonOf(answer, facts) };
  }
}

function reasonOf({ status }: HttpResponse, facts: Facts) {
  if (isUnparsable(facts) && status < 300) return 'the answer is not complete JSON';
  const { message } = facts.problem;
  const doubt = facts.status === 404 ? ' (is the URL right?)' : '';
  if (message !== '') return `HTTP ${status}: ${message}${doubt}`;
  return status < 300 ? `HTTP ${status} without a usable answer` : `HTTP ${status}${doubt}`;
}

function among(...statuses: number[]) {
  return (status: number) => statuses.includes(status);
}

function between(lowest: number, highest: number) {
  return (status: number) => status >= lowest && status <= highest;
}

function isAboutAddress({ own, problem, problemText }: Facts) {
  return problem.code === own.pathUnknown || speaksOfAddress(problemText);
}

function isAboutRecord({ own, problem, problemText }: Facts) {
  return problem.code === own.companyUnknown || speaksOfRecord(problemText);
}

function isTextOrPage({ json, hasBody }: Facts) {
  return json === undefined && hasBody;
}

/** For example `{"success": true, "data": null}`. */
function saysNothing(json: unknown) {
  if (json === null || json === '') return true;
  if (Array.isArray(json)) return json.length === 0;
  return (
    isRecord(json) &&
    Object.entries(json).every(
      ([key, value]) =>
        value === null ||
        value === '' ||
        (key === 'success' && value === true) ||
        (key === 'total' && value === 0) ||
        (typeof value === 'object' && Object.keys(value).length === 0),
    )
  );
}

function isUnparsable({ json }: Facts) {
  return json === undefined;
}

function hasResult({ companyId, people }: Facts) {
  return companyId !== undefined || people !== undefined;
}
