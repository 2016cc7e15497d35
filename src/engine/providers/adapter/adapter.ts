import { hash } from 'node:crypto';
import type { Call } from '../../../core/contract/call.ts';
import { identifierPaths } from '../../../core/contract/company-identifiers.ts';
import { isRecord, readAnswerJson } from '../../../core/values/parse-json.ts';
import { classifyAnswer } from '../http/classify-answer.ts';
import { readFacts } from '../http/read-facts.ts';
import type { HttpResponse, Provider, Verdict } from '../provider.ts';
import { readIdentifiers } from '../read-identifiers.ts';
import { buildRequests } from './build-requests.ts';
import { type AdapterDefinition, type AnswerRule, namedVerdicts } from './definition.ts';
import { makeRecord, readField } from './make-record.ts';
import { isEmpty, partsOf, valueAt } from './paths.ts';

export function createAdapter(definition: AdapterDefinition): Provider {
  const { name, company, answers, record, fields } = definition;
  const toRecord = makeRecord(definition);
  const judging = [answers, record, identifyingFields.map((field) => fields[field])];
  return {
    takes: (kind) => company[kind] !== undefined,
    requests: (access) => buildRequests(definition, access),
    judge(call, response, hasEverFound) {
      const json = parse(response.body);
      const named = judgeByName(definition, call, response, json);
      if (named) return named;
      const read = readAnswer(definition, response, json);
      if (read?.kind === 'hit') return read;
      if (read && !reportsProblem(json)) return read;
      const usual = classifyAnswer(call, response, hasEverFound);
      const { status } = response;
      const isMiss = usual.kind === 'miss' || usual.kind === 'unproven';
      if (isMiss && answers.miss?.some((rule) => rule.status === status)) {
        const reason = `HTTP ${status}, but no \`miss\` rule of the adapter ${name} fits`;
        return { kind: 'unreadable', reason };
      }
      // The usual rules would take the id of a request for that of a company.
      return read && usual.kind === 'hit' ? read : usual;
    },
    identifiers: (body) => readIdentifiers(toRecord(body)),
    record: toRecord,
    version: { judging: hashOf(judging), record: hashOf([record, fields]) },
  };
}

/** The values of these fields decide which company an answer is about. */
const identifyingFields = ['id', ...Object.values(identifierPaths)];

function judgeByName(
  { answers }: AdapterDefinition,
  call: Call,
  response: HttpResponse,
  json: unknown,
): Verdict | undefined {
  for (const kind of namedVerdicts) {
    const rule = answers[kind]?.find((one) => isMeant(one, response.status, json));
    if (!rule) continue;
    if (kind === 'miss' || kind === 'throttled') return { kind };
    const { message } = readFacts(call, response).problem;
    const why =
      rule.where === undefined ? `HTTP ${response.status}` : `${rule.where} is ${rule.is}`;
    return { kind, message: message || why };
  }
  return undefined;
}

/** A field that is not there is not empty: perhaps it has another name now. */
function isMeant({ status, where, is }: AnswerRule, answered: number, json: unknown) {
  if (status !== answered) return false;
  if (where === undefined) return true;
  if (json === undefined) return false;
  const value = valueAt(json, partsOf(where));
  if (is === 'missing') return value === undefined;
  return is === 'empty' ? value !== undefined && isEmpty(value) : value === is;
}

/** Undefined if the answer is not a complete one. */
function readAnswer(
  { name, record, fields }: AdapterDefinition,
  { status }: HttpResponse,
  json: unknown,
): Verdict | undefined {
  const isWhole = status >= 200 && status < 300 && ![202, 204, 206].includes(status);
  if (!isWhole || json === undefined) return undefined;
  const theirs = valueAt(json, partsOf(record));
  const { id = { paths: [] } } = fields;
  const companyId = readField(id, theirs).value;
  if (isRecord(theirs) && (typeof companyId === 'string' || typeof companyId === 'number')) {
    return { kind: 'hit', companyId: String(companyId) };
  }
  const wrong = isRecord(theirs)
    ? `no id at ${id.paths.join(', ')}`
    : `no company at ${record || 'the top'}`;
  return { kind: 'unreadable', reason: `the adapter ${name} cannot read the answer: ${wrong}` };
}

function reportsProblem(json: unknown) {
  return isRecord(json) && (json.success === false || json.error != null);
}

function parse(body: Buffer): unknown {
  try {
    return readAnswerJson(body);
  } catch {
    return undefined;
  }
}

function hashOf(rules: unknown) {
  return hash('sha256', JSON.stringify(rules)).slice(0, 16);
}
