import type { CompanyCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { KnownAnswer } from '../ledger/answers.ts';
import type { AnswersByCall } from '../ledger/answers-by-call.ts';
import type { RowOutcome, WaitingRow } from '../ledger/rows.ts';
import type { OpenTask, Source } from '../ledger/tasks.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { RunContext } from './run-context.ts';
import { openSearches } from './search-people.ts';
import { wantCalls } from './want-call.ts';

/** A company call of the run, and the answer that settles it. */
export interface SettledLookup {
  readonly operation: 'company';
  readonly callId: number;
  readonly country: Country;
  readonly answer: KnownAnswer;
  readonly source: Source;
}

export function lookupOf(
  { callId }: Pick<OpenTask, 'callId'>,
  { operation, country }: Pick<CompanyCall, 'operation' | 'country'>,
  { answer, source }: Pick<SettledLookup, 'answer' | 'source'>,
): SettledLookup {
  return { operation, callId, country, answer, source };
}

/** Rows are moved to their next candidate this many at a time, so that memory stays flat. */
const rowsAtOnce = 1_000;

/**
 * Gives the rows that wait for settled calls what the answers mean for them: a company, the next
 * candidate, the end. Answers that mean the same are given together.
 */
export function giveToRows(context: RunContext, lookups: readonly SettledLookup[]): void {
  const alike = [...Map.groupBy(lookups, (lookup) => meaningOf(context, lookup))].map(
    ([meaning, settled]) => ({ meaning, settled, answers: answersByCall(settled) }),
  );
  for (const { meaning, answers } of alike) settleRows(context, meaning, answers);
  // Only now, when all have what they can get: a row may move on to another call of this group.
  for (const { meaning, settled, answers } of alike) {
    if (meaning.next === 'candidate') tryNext(context, answers);
    if (meaning.next !== 'people') continue;
    for (const { answer, country } of settled) {
      openSearches(context, answer.companyId ?? '', country);
    }
  }
}

export function answersByCall(
  settled: readonly Pick<SettledLookup, 'callId' | 'answer'>[],
): AnswersByCall {
  return new Map(settled.map(({ callId, answer }) => [callId, answer.id]));
}

function settleRows({ ledger, run, counts }: RunContext, meaning: Meaning, answers: AnswersByCall) {
  const { status, reason, message, match, next } = meaning;
  const isOfCompany = next === 'people' && run.hasPeople;
  const settle = next === 'candidate' ? ledger.rows.settleExhausted : ledger.rows.settleWaiting;
  const rows = settle(run.id, answers, { status, reason, message, match, isOfCompany });
  counts.rows[status] += rows;
  counts.rows.open -= rows;
}

/** Lets rows that have another candidate wait for its call. */
function tryNext(context: RunContext, answers: AnswersByCall): void {
  const { ledger, run } = context;
  for (;;) {
    const rows = ledger.rows.waiting(run.id, answers, rowsAtOnce);
    if (rows.length === 0) return;
    const moves = rows.flatMap(nextMove);
    // What is asked for only now may have been answered under another name before.
    ledger.calls.gatherAliases();
    const callIds = wantCalls(
      context,
      moves.map(({ call }) => call),
    );
    // Other rows may have asked this before: then the answer is there, and nobody will bring it.
    const known = new Map<number, SettledLookup | undefined>();
    for (const [index, { number, place, call }] of moves.entries()) {
      const callId = callIds[index] ?? 0;
      ledger.rows.moveOn(run.id, number, place, callId);
      if (known.has(callId)) continue;
      const settled = ledger.calls.settledTask(run.id, callId);
      known.set(callId, settled && lookupOf({ callId }, call, settled));
    }
    // Once for all of them: each time reads every row of the call, settled or not.
    const given = [...known.values()].filter((lookup) => lookup !== undefined);
    if (given.length > 0) giveToRows(context, given);
    if (rows.length < rowsAtOnce) return;
  }
}

interface Move {
  readonly number: number;
  readonly place: number;
  readonly call: CompanyCall;
}

/** What a row asks for next; those that have nothing left are settled. */
function nextMove({ number, country, candidates, place }: WaitingRow): Move[] {
  const [kind, value] = candidates[place + 1] ?? [];
  if (kind === undefined || value === undefined) return [];
  const call = { operation: 'company', identifier: { kind, value }, country } as const;
  return [{ number, place: place + 1, call }];
}

/** What an answer means for the rows that wait for it, and what they wait for next. */
interface Meaning extends Omit<RowOutcome, 'isOfCompany'> {
  readonly next: 'people' | 'candidate' | undefined;
}

function meaningOf({ job }: RunContext, { answer, source }: SettledLookup): Meaning {
  switch (answer.outcome) {
    case 'hit':
      // Another call's answer is served only under an identifier that it carries itself.
      if (source === 'joined') return matchedExactly;
      return answer.match === 'mismatch' && job.onMismatch === 'reject' ? mismatched : matched;
    case 'miss':
      return notFound;
    case 'invalid':
      return refused;
    case 'failed':
      return failed;
    default:
      return assertNever(answer.outcome);
  }
}

const asAnswered = { reason: null, message: null, match: null } as const;
const matched: Meaning = { ...asAnswered, status: 'matched', next: 'people' };
const matchedExactly: Meaning = { ...matched, match: 'exact' };

const mismatched: Meaning = {
  ...asAnswered,
  status: 'not_found',
  reason: 'mismatch',
  message: 'The service answered with a company that has another identifier.',
  next: 'candidate',
};

const notFound: Meaning = {
  ...asAnswered,
  status: 'not_found',
  reason: 'not_found',
  message: 'The service knows no company under this identifier.',
  next: 'candidate',
};

const refused: Meaning = {
  ...asAnswered,
  status: 'invalid',
  reason: 'refused_by_service',
  next: 'candidate',
};

const failed: Meaning = {
  ...asAnswered,
  status: 'failed',
  reason: 'service_failed',
  next: undefined,
};
