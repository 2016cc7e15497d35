import type { CompanyCall } from '../contract/call.ts';
import type { Country } from '../contract/countries.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import type { OpenCall } from '../ledger/calls/run-calls.ts';
import type { Source } from '../rules/outcomes.ts';

/** A call of the run and the answer that completes it, from the client or from the cache. */
export type CompletedCall = CompletedLookup | CompletedPage;

export interface CompletedLookup extends Completion {
  readonly operation: 'company';
  readonly country: Country;
}

export interface CompletedPage extends Completion {
  readonly operation: 'people';
  readonly searchId: number;
  readonly page: number;
  /** Of a hit. It is parsed when its turn comes: a page may hold many people. */
  readonly body: Buffer | undefined;
}

interface Completion {
  readonly callId: number;
  readonly answer: KnownAnswer;
  readonly source: Source;
}

export function completedLookup(
  callId: number,
  { country }: Pick<CompanyCall, 'country'>,
  { answer, source }: Pick<Completion, 'answer' | 'source'>,
): CompletedLookup {
  return { operation: 'company', callId, country, answer, source };
}

export function completedPage(
  { callId, searchId, page }: OpenCall,
  { answer, source }: Pick<Completion, 'answer' | 'source'>,
  body: Buffer | undefined,
): CompletedPage {
  if (searchId === null || page === null) throw new Error(`call ${callId} is no page of a search`);
  return { operation: 'people', callId, searchId, page, answer, source, body };
}
