import type { CallRequest } from '../contract/call.ts';
import { type CompanyNames, readNames } from '../contract/company-names.ts';
import type { HttpAnswer } from './exchange.ts';
import { type AnswerFacts, readAnswer } from './read-answer.ts';
import { saysNothingFound, speaksOfQuota } from './wording.ts';

export type Verdict =
  | { readonly kind: 'hit'; readonly companyId?: string; readonly names?: CompanyNames }
  | { readonly kind: 'miss' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'quota'; readonly message: string }
  /** May go better next time. */
  | { readonly kind: 'transient'; readonly reason: string }
  /** Will not go better next time. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** An answer, but one that we do not take; asking again would be paid for again. */
  | { readonly kind: 'oversized'; readonly reason: string };

interface Rule {
  readonly status: (status: number) => boolean;
  readonly and?: (facts: AnswerFacts) => boolean;
  readonly outcome: Verdict['kind'];
}

/** What each answer means, for both operations. The first rule that fits decides. */
const rules: readonly Rule[] = [
  { status: among(402), outcome: 'quota' },
  { status: among(400, 403), and: ({ said }) => speaksOfQuota(said), outcome: 'quota' },
  { status: among(401, 403), outcome: 'refused' },
  { status: among(429), outcome: 'throttled' },
  { status: among(503), and: hasRetryAfter, outcome: 'throttled' },
  { status: among(204, 404, 410), outcome: 'miss' },
  { status: among(400, 422, 500), and: ({ said }) => saysNothingFound(said), outcome: 'miss' },
  // 407 is the proxy's, 421 and 425 ask for another connection or a later time.
  { status: among(407, 408, 421, 425), outcome: 'transient' },
  { status: between(500, 599), outcome: 'transient' },
  { status: between(400, 499), outcome: 'invalid' },
  // 202 promises an answer and 206 is a part of one.
  { status: among(202, 206), outcome: 'transient' },
  { status: between(200, 299), and: isUnparsable, outcome: 'transient' },
  { status: between(200, 299), and: holdsWhatWasAsked, outcome: 'hit' },
  { status: between(200, 299), outcome: 'miss' },
  { status: () => true, outcome: 'unusable' },
];

/** Decides by status and body what came of an attempt. */
export function classifyAnswer(call: CallRequest, answer: HttpAnswer): Verdict {
  const facts = readAnswer(call, answer);
  const rule = rules.find(({ status, and }) => status(facts.status) && (and?.(facts) ?? true));
  const message = facts.problem.message;
  switch (rule?.outcome) {
    case 'hit':
      if (facts.companyId === undefined) return { kind: 'hit' };
      return { kind: 'hit', companyId: facts.companyId, names: readNames(facts.json) };
    case 'miss':
    case 'throttled':
      return { kind: rule.outcome };
    case 'invalid':
    case 'refused':
    case 'quota':
      return { kind: rule.outcome, message: message || `HTTP ${answer.status}` };
    default:
      return { kind: rule?.outcome ?? 'unusable', reason: reasonOf(facts, message) };
  }
}

function reasonOf(facts: AnswerFacts, message: string): string {
  const { status } = facts.answer;
  if (isUnparsable(facts) && status < 300) return 'the answer is not whole JSON';
  return message === '' ? `HTTP ${status}` : `HTTP ${status}: ${message}`;
}

function among(...statuses: number[]) {
  return (status: number) => statuses.includes(status);
}

function between(lowest: number, highest: number) {
  return (status: number) => status >= lowest && status <= highest;
}

function hasRetryAfter({ answer }: AnswerFacts): boolean {
  return answer.headers['retry-after'] !== undefined;
}

function isUnparsable({ json }: AnswerFacts): boolean {
  return json === undefined;
}

function holdsWhatWasAsked({ companyId, isPeoplePage }: AnswerFacts): boolean {
  return companyId !== undefined || isPeoplePage;
}
