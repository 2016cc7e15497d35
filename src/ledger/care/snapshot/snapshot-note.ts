import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';

/** What a ledger knows of its snapshots. */
export interface SnapshotNote {
  /** The same for all copies that go back to one beginning. */
  readonly lineage: string;
  /** Counts the snapshots of a lineage; 0 before the first. */
  readonly generation: number;
  /** Names the snapshot that the ledger was last stored as or restored from. */
  readonly token: string;
  /** Undefined before the first. */
  readonly storedAt: number | undefined;
  /** The address where it was stored; undefined before the first. */
  readonly place: string | undefined;
  /** One that is on its way to the store, or was when a process died. */
  readonly pendingToken: string | undefined;
  /** Answers that are in no snapshot and in no copy aside: what a lost disk would cost. */
  readonly answersSince: number;
  /** All its answers are in a copy that was stored aside. */
  readonly isAside: boolean;
}

interface NoteLine {
  lineage: string;
  generation: number;
  token: string;
  storedAt: number | null;
  place: string | null;
  pendingToken: string | null;
  lastAnswerId: number;
  asideAnswerId: number;
}

/** Undefined for a ledger that never had a place for snapshots. */
export function readNoteIn(db: Database): SnapshotNote | undefined {
  const line = db
    .prepare<[], NoteLine>(`
      select lineage, generation, token, stored_at as storedAt, place, pending_token as pendingToken,
        last_answer_id as lastAnswerId, aside_answer_id as asideAnswerId
      from snapshot`)
    .get();
  if (!line) return undefined;
  const { lastAnswerId, asideAnswerId, storedAt, place, pendingToken, ...known } = line;
  return {
    ...known,
    storedAt: storedAt ?? undefined,
    place: place ?? undefined,
    pendingToken: pendingToken ?? undefined,
    answersSince: answersAfter(db, Math.max(lastAnswerId, asideAnswerId)),
    isAside: asideAnswerId > 0 && asideAnswerId >= greatestAnswerId(db),
  };
}

/** Where the last answer itself was pruned, its id may have been given again: then all count. */
function answersAfter(db: Database, lastAnswerId: number): number {
  const after = db.prepare<[number], number>('select count(*) from answer where id > ?').pluck();
  return after.get(greatestAnswerId(db) < lastAnswerId ? 0 : lastAnswerId) ?? 0;
}

export function greatestAnswerId(db: Database): number {
  return db.prepare<[], number>('select coalesce(max(id), 0) from answer').pluck().get() ?? 0;
}

/** Makes the first note of a ledger, which begins a lineage; one that is there stays. */
export function beginNote(db: Database): void {
  db.prepare(`
    insert or ignore into snapshot (id, lineage, generation, token, last_answer_id)
    values (1, ?, 0, '', 0)`).run(randomUUID());
}

/** Notes in the ledger itself that a copy of it is on its way. */
export function notePending(
  db: Database,
  pending: { readonly token: string; readonly lastAnswerId: number; readonly storedAt: number },
): void {
  db.prepare(`
    update snapshot
    set pending_token = :token, pending_answer_id = :lastAnswerId, pending_at = :storedAt`).run(
    pending,
  );
}

/** The store has taken the one that was on its way. Nothing changes where that was another. */
export function settlePending(
  db: Database,
  taken: { readonly generation: number; readonly token: string; readonly place: string },
): void {
  db.prepare(`
    update snapshot
    set generation = :generation, token = pending_token, place = :place,
      last_answer_id = pending_answer_id, stored_at = pending_at,
      pending_token = null, pending_answer_id = null, pending_at = null
    where pending_token = :token`).run(taken);
}

/** A copy with all answers up to this one was stored aside. */
export function noteAside(db: Database, answerId: number): void {
  db.prepare('update snapshot set aside_answer_id = ?').run(answerId);
}

/** Says in a copy which snapshot it is. */
export function markCopy(
  db: Database,
  mark: {
    readonly generation: number;
    readonly token: string;
    readonly storedAt: number;
    readonly place: string;
  },
): void {
  db.prepare(`
    update snapshot
    set generation = :generation, token = :token, stored_at = :storedAt, place = :place,
      last_answer_id = (select coalesce(max(id), 0) from answer),
      aside_answer_id = 0, pending_token = null, pending_answer_id = null, pending_at = null`).run(
    mark,
  );
}
