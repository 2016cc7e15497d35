import type { CallRequest } from '../contract/call.ts';
import { nameFields } from '../contract/company-names.ts';
import { readPeoplePage } from '../contract/people-answer.ts';
import { parseJson } from '../runtime/parse-json.ts';
import { createFieldPicker } from '../runtime/pick-fields.ts';
import type { HttpAnswer } from './exchange.ts';
import { isRecord, nothingSaid, type Problem, readProblem } from './read-problem.ts';
import { speaksOfQuota, speaksOfThrottling, spellOut } from './wording.ts';

/** What the rules look at. */
export interface AnswerFacts {
  readonly answer: HttpAnswer;
  /** The status, or the one that a 200 which reports a failure should have had. */
  readonly status: number;
  /** Undefined where the body is not JSON. Of a company only its id and what it is called. */
  readonly json: unknown;
  readonly problem: Problem;
  /** Code and message of a failure for matching, without what we sent ourselves. */
  readonly said: string;
  readonly companyId?: string;
  readonly isPeoplePage: boolean;
}

export function readAnswer(call: CallRequest, answer: HttpAnswer): AnswerFacts {
  return readCompany(call, answer) ?? readWhole(call, answer);
}

const pickFields = createFieldPicker({ id: true, success: true, ...nameFields });

/**
 * Nearly every answer is a company, and only a few of its fields are asked for here. Undefined where
 * there is anything else to it.
 */
function readCompany(call: CallRequest, answer: HttpAnswer): AnswerFacts | undefined {
  if (call.operation !== 'company' || answer.status !== 200) return undefined;
  const json = pickFields(answer.body);
  const companyId = readCompanyId(json);
  if (companyId === undefined || reportsFailure(json, true)) return undefined;
  const nothingElse = { problem: nothingSaid, said: '', isPeoplePage: false };
  return { answer, status: answer.status, json, companyId, ...nothingElse };
}

function readWhole(call: CallRequest, answer: HttpAnswer): AnswerFacts {
  // A byte order mark is no part of the text, whatever JSON.parse thinks.
  const text = answer.body.toString('utf8').replace(/^\uFEFF/, '');
  const json = tryParse(text);
  const companyId = call.operation === 'company' ? readCompanyId(json) : undefined;
  const isPeoplePage = call.operation === 'people' && readPeoplePage(json) !== null;
  const hasResult = companyId !== undefined || isPeoplePage;
  const isFailure = answer.status !== 200 || reportsFailure(json, hasResult);
  // The words of a company are not about a failure; most answers are hits and need no reading.
  const problem = isFailure || !hasResult ? readProblem(json, text) : nothingSaid;
  const said = problem.isSpecific
    ? spellOut(`${problem.code ?? ''} ${withoutEcho(problem.message, call)}`).trim()
    : '';
  const status = isFailure ? meantStatus(answer.status, said) : answer.status;
  return {
    answer,
    status,
    json,
    problem,
    said,
    ...(companyId !== undefined && { companyId }),
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
function reportsFailure(json: unknown, hasResult: boolean): boolean {
  if (!isRecord(json)) return false;
  if (json.success === false) return true;
  return !hasResult && json.error !== undefined && json.error !== null;
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

function readCompanyId(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  const { id } = json;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}
