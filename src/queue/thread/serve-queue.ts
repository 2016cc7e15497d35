import type { CallRequest } from '../../contract/call.ts';
import { asLedgerTrouble } from '../../ledger/file/ledger-trouble.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { TimelineSlice } from '../../ledger/runs/timeline.ts';
import type { Counts } from '../../rules/outcomes.ts';
import { releaseMemory } from '../../runtime/memory/release-memory.ts';
import { openLocalQueue } from '../local-queue.ts';
import type { QueuedRun, QueueTerms } from '../queue-state.ts';
import type { Exchange, IdentifiedRow } from '../run-queue.ts';
import type { Charge, Reserved } from '../spend/spend-terms.ts';
import { busyMs } from '../trouble/while-held.ts';
import { type PackedAnswers, unpackInThread } from './pack-answers.ts';

/** What the queue of a run is opened with in the thread. */
export interface QueueData {
  readonly run: QueuedRun;
  readonly terms: QueueTerms;
}

/** What an exchange gives, with its calls as JSON. */
export interface PackedExchange extends Omit<Exchange, 'calls'> {
  readonly calls: string;
}

/** The verbs of a queue as messages. V8 clones many small objects slower than it handles their JSON. */
export interface QueueVerbs {
  /** Takes rows as JSON. */
  add(rows: string): Counts;
  exchange(request: {
    readonly answers: PackedAnswers;
    readonly room: number;
    readonly charge: Charge | undefined;
  }): PackedExchange;
  reserve(request: {
    readonly operations: readonly CallRequest['operation'][];
    readonly charge: Charge;
  }): Reserved;
  release(callIds: readonly number[]): void;
  recover(request: undefined): void;
  counts(request: undefined): Counts;
  keepTimeline(slices: readonly TimelineSlice[]): void;
  close(request: undefined): void;
}

/** Serves the queue of a run in the second thread: SQLite and compression work here. */
export function serve({ run, terms }: QueueData): QueueVerbs {
  const ledger = openLedger(terms.ledgerPath, { busyMs });
  const queue = openLocalQueue(ledger, run, terms);
  const verbs: QueueVerbs = {
    add: (rows) => queue.add(JSON.parse(rows) as IdentifiedRow[]),
    exchange({ answers, room, charge }) {
      const { calls, ...exchanged } = queue.exchange(unpackInThread(answers), room, charge);
      // The bodies are compressed and stored; V8 would keep their memory for many exchanges.
      releaseMemory(new Uint8Array(answers.bodies));
      return { ...exchanged, calls: JSON.stringify(calls) };
    },
    reserve: ({ operations, charge }) => queue.reserve(operations, charge),
    release: queue.release,
    recover: queue.recover,
    counts: queue.counts,
    keepTimeline: queue.keepTimeline,
    close: () => ledger[Symbol.dispose](),
  };
  return tellingTrouble(verbs, terms.ledgerPath);
}

/** An error of SQLite must be named here: on its way to the other thread it loses its class. */
function tellingTrouble(verbs: QueueVerbs, path: string): QueueVerbs {
  const guarded = Object.entries(verbs).map(([name, verb]) => [
    name,
    (request: never) => {
      try {
        return (verb as (request: never) => unknown)(request);
      } catch (error) {
        throw asLedgerTrouble(path, error);
      }
    },
  ]);
  return Object.fromEntries(guarded) as QueueVerbs;
}
