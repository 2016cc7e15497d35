import type { CallRequest } from '../../contract/call.ts';
import { readNames } from '../../contract/company-names.ts';
import { readPeoplePage } from '../../contract/people-answer.ts';
import { problems } from '../../contract/problem.ts';
import { parseJson } from '../../runtime/json/parse-json.ts';
import type { HttpAnswer } from '../wire/exchange.ts';
import { readCompany, readCompanyId } from './read-company.ts';
import { isRecord, noProblem, type Problem, readProblem } from './read-problem.ts';
import type { Verdict } from './verdict.ts';
import {
  saysNothingFound,
  speaksOfAddress,
  speaksOfQuota,
  speaksOfRecord,
  speaksOfThrottling,
  spellOut,
} from './wording.ts';

/** What the rules look at. */
interface Facts {
  /** The status, or the one that a 200 which reports a failure should have had. */
  readonly status: number;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
  readonly hasBody: boolean;
  readonly problem: Problem;
  /** Code and message of a failure for matching, without what the call itself had sent. */
  readonly said: string;
  readonly hasRetryAfter: boolean;
  readonly companyId: string | undefined;
  readonly isPeoplePage: boolean;
}

interface Rule {
  readonly status: (status: number) => boolean;
  readonly and?: (facts: Facts) => boolean;
  readonly outcome: Verdict['kind'];
}

/** What each answer means, for both operations. The first rule that fits decides. */
const rules: readonly Rule[] = [
  { status: among(402), outcome: 'quota' },
  { status: among(400, 403), and: ({ said }) => speaksOfQuota(said), outcome: 'quota' },
  { status: among(401), outcome: 'refused' },
  { status: among(403), outcome: 'forbidden' },
  { status: among(429), outcome: 'throttled' },
  { status: among(503), and: ({ hasRetryAfter }) => hasRetryAfter, outcome: 'throttled' },
  { status: among(204), outcome: 'miss' },
  { status: among(404, 410), and: isAboutAddress, outcome: 'transient' },
  { status: among(404, 410), and: isAboutRecord, outcome: 'miss' },
  // A web page or plain text comes from whatever else lives at the address.
  { status: among(404, 410), and: isTextOrPage, outcome: 'transient' },
  { status: among(404, 410), outcome: 'unproven' },
  { status: among(400, 422, 500), and: ({ said }) => saysNothingFound(said), outcome: 'miss' },
  // 407 is the proxy's, 421 and 425 ask for another connection or a later time.
  { status: among(407, 408, 421, 425), outcome: 'transient' },
  { status: between(500, 599), outcome: 'transient' },
  { status: between(400, 499), outcome: 'invalid' },
  // 202 promises an answer and 206 is a part of one.
  { status: among(202, 206), outcome: 'transient' },
  { status: between(200, 299), and: isUnparsable, outcome: 'transient' },
  { status: between(200, 299), and: hasResult, outcome: 'hit' },
  { status: between(200, 299), and: ({ json }) => saysNothing(json), outcome: 'miss' },
  { status: between(200, 299), and: ({ said }) => saysNothingFound(said), outcome: 'miss' },
  // `{"status": "maintenance"}`
  { status: between(200, 299), outcome: 'transient' },
  { status: () => true, outcome: 'unusable' },
];

/**
 * Decides by status and body what came of an attempt. A 404 that says nothing is a miss only of a service
 * that is proven: one that has given a hit before.
 */
export function classifyAnswer(call: CallRequest, answer: HttpAnswer, isProven: boolean): Verdict {
  if (call.operation === 'company' && answer.status === 200) {
    // Nearly every answer is a plain company, which needs no rule.
    const company = readCompany(answer.body);
    if (company) return { kind: 'hit', ...company };
  }
  const facts = readFacts(call, answer);
  const rule = rules.find(({ status, and }) => status(facts.status) && (and?.(facts) ?? true));
  const message = facts.problem.message;
  switch (rule?.outcome) {
    case 'hit':
      if (facts.companyId === undefined) return { kind: 'hit' };
      return { kind: 'hit', companyId: facts.companyId, names: readNames(facts.json) };
    case 'miss':
    case 'throttled':
      return { kind: rule.outcome };
    case 'unproven':
      return isProven ? { kind: 'miss' } : { kind: 'unproven', reason: reasonOf(answer, facts) };
    case 'invalid':
    case 'refused':
    case 'forbidden':
    case 'quota':
      return { kind: rule.outcome, message: message || `HTTP ${answer.status}` };
    default:
      return { kind: rule?.outcome ?? 'unusable', reason: reasonOf(answer, facts) };
  }
}

function readFacts(call: CallRequest, { status, headers, body }: HttpAnswer): Facts {
  // A byte order mark is no part of the text, whatever JSON.parse thinks.
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const json = tryParse(text);
  const companyId = call.operation === 'company' ? readCompanyId(json) : undefined;
  const isPeoplePage = call.operation === 'people' && readPeoplePage(json) !== null;
  const holdsResult = companyId !== undefined || isPeoplePage;
  const isFailure = status !== 200 || reportsFailure(json, holdsResult);
  // The words of a company are not about a failure.
  const problem = isFailure || !holdsResult ? readProblem(json, text) : noProblem;
  const said = problem.isSpecific
    ? spellOut(`${problem.code ?? ''} ${withoutEcho(problem.message, call)}`).trim()
    : '';
  return {
    status: isFailure ? meantStatus(status, said) : status,
    json,
    hasBody: text.trim() !== '',
    problem,
    said,
    hasRetryAfter: headers['retry-after'] !== undefined,
    companyId,
    isPeoplePage,
  };
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** An `id` beside `success: false` is that of the request, not of a company. */
function reportsFailure(json: unknown, holdsResult: boolean): boolean {
  if (!isRecord(json)) return false;
  if (json.success === false) return true;
  return !holdsResult && json.error !== undefined && json.error !== null;
}

/** Reads a 200 with a failure in it as the status it should have had. */
function meantStatus(status: number, said: string): number {
  if (status !== 200 || said === '') return status;
  if (speaksOfThrottling(said)) return 429;
  if (speaksOfQuota(said)) return 402;
  const code = Number(/^[45]\d\d\b/.exec(said)?.[0]);
  // Without a code it is a failure all the same: 500 settles "not found" and retries the rest.
  return Number.isNaN(code) ? 500 : code;
}

/**
 * A service that quotes the request may say "invalid: credit-union.com"; the words of the rules
 * must be its own.
 */
function withoutEcho(said: string, call: CallRequest): string {
  const sent = call.operation === 'company' ? [call.identifier.value] : Object.values(call.body);
  return sent
    .filter((value) => value.length >= 3)
    .reduce((text, value) => text.replaceAll(literally(value), '…'), said);
}

function literally(value: string): RegExp {
  return new RegExp(value.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');
}

function reasonOf({ status }: HttpAnswer, facts: Facts): string {
  if (isUnparsable(facts) && status < 300) return 'the answer is not whole JSON';
  const { message } = facts.problem;
  const doubt = facts.status === 404 ? ' (is the address right?)' : '';
  if (message !== '') return `HTTP ${status}: ${message}${doubt}`;
  return status < 300 ? `HTTP ${status} with nothing that was asked for` : `HTTP ${status}${doubt}`;
}

function among(...statuses: number[]) {
  return (status: number) => statuses.includes(status);
}

function between(lowest: number, highest: number) {
  return (status: number) => status >= lowest && status <= highest;
}

function isAboutAddress({ problem, said }: Facts): boolean {
  return problem.code === String(problems.PATH_UNKNOWN.error) || speaksOfAddress(said);
}

function isAboutRecord({ problem, said }: Facts): boolean {
  return problem.code === String(problems.COMPANY_UNKNOWN.error) || speaksOfRecord(said);
}

function isTextOrPage({ json, hasBody }: Facts): boolean {
  return json === undefined && hasBody;
}

/** `null`, `""`, `[]`, `{}`, and objects that hold nothing else: `{"success": true, "data": null}`. */
function saysNothing(json: unknown): boolean {
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

function isUnparsable({ json }: Facts): boolean {
  return json === undefined;
}

function hasResult({ companyId, isPeoplePage }: Facts): boolean {
  return companyId !== undefined || isPeoplePage;
}
