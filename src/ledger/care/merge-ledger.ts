import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { type Bodies, type BodyPlace, bodiesIn } from '../calls/bodies.ts';
import type { Bundle } from '../calls/bundles.ts';
import { type LedgerFile, openExisting, openToWrite } from '../file/ledger-file.ts';
import { asLedgerTrouble, withTrouble } from '../file/ledger-trouble.ts';
import {
  type JoinedCall,
  type MergeStatements,
  mergeStatements,
  type OtherAnswer,
  otherStatements,
  type TwinFacts,
} from './merge-statements.ts';
import { openReadableLines } from './readable-lines.ts';

/** What came of a merge. */
export interface Merged {
  readonly ledger: string;
  readonly from: string;
  /** Answers that are new here. */
  readonly taken: number;
  /** Answers that both ledgers had. */
  readonly known: number;
  /** Answers that were damaged here and are whole again. */
  readonly mended: number;
  /** Damaged answers of the other ledger, which were left there. */
  readonly damaged: number;
}

/** A transaction of so many answers keeps runs waiting for a moment only. */
const itemsAtOnce = 1_000;

/**
 * Takes over what another ledger has paid for: answers with their bodies, by the keys of their calls. Of two
 * answers to a call the younger is the newest; none is removed. The other ledger is only read. A merge that
 * was stopped in between, or is repeated, takes what is missing.
 */
export function mergeLedger(given: string, other: string): Merged {
  using source = openExisting(other);
  using target = openToWrite(given, { mustExist: false });
  refuseSame(target.path, source.path);
  return withTrouble(target.path, () => {
    // One moment of the other ledger, in which a run may go on. SQLite commits none that met damage.
    source.db.exec('begin');
    try {
      const counts = merge(target.db, source);
      target.db.pragma('wal_checkpoint(passive)');
      return { ledger: target.path, from: source.path, ...counts };
    } finally {
      if (source.db.inTransaction) source.db.exec('rollback');
    }
  });
}

function refuseSame(path: string, other: string): void {
  const [one, two] = [statSync(path), statSync(other)];
  if (one.ino !== two.ino || one.dev !== two.dev) return;
  throw new DossierError('USAGE', `${other} is the ledger itself; name another one`);
}

type Counts = Omit<Merged, 'ledger' | 'from'>;

function merge(db: Database, { db: otherDb, path }: LedgerFile): Counts {
  const other = otherStatements(otherDb);
  const own = mergeStatements(db);
  const bodiesThere = bodiesIn(otherDb);
  // Answers of a damaged ledger are saved this way, so a page that cannot be read stops nothing.
  const lines = openReadableLines();
  const tryTo = <Result>(read: () => Result) => withTrouble(path, () => lines.tryTo(read));
  const joined = new Set(tryTo(() => other.joinedAnswers.all()));
  const taker = openTaker({
    own,
    bodies: bodiesIn(db),
    isTaken: ({ id, isNewest }) => isNewest === 1 || joined.has(id),
    isWhole: (place) => tryTo(() => bodiesThere.read(place) !== null) === true,
    bundle: (bundleId) => tryTo(() => other.bundle.get({ bundleId })),
  });
  const services = tryTo(() => other.services.all()) ?? [];
  inPortions(db, services, ({ key }) => void own.addService.run({ key }));
  const lastId = firstOf(other.lastIds, (last) => tryTo(() => last.get())) ?? 0;
  const read = (after: number, upTo: number) => other.answers.all({ after, upTo });
  inPortions(db, readFrom(path, lines.byId(lastId, read)), taker.take);
  // A joined call that is not read is joined again by the run that asks it.
  inPortions(db, tryTo(() => other.joinedCalls.all()) ?? [], taker.join);
  return { ...taker.counts, damaged: taker.counts.damaged + lines.unreadable() };
}

/** What the first of some gives anything for. */
function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined) {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A damaged page may give lines that were never stored. */
function isSound({ outcome, key, request, fetchedAt }: OtherAnswer): boolean {
  const isText = typeof request === 'string' && Number.isInteger(fetchedAt);
  return Buffer.isBuffer(key) && isText && answerOutcomes.has(outcome);
}

const answerOutcomes: ReadonlySet<string> = new Set(['hit', 'miss', 'invalid', 'oversized']);

/** A fault of the other file is told as such, and not as one of the ledger that is written. */
function* readFrom<Item>(path: string, items: Iterable<Item>): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw asLedgerTrouble(path, error);
  }
}

function inPortions<Item>(db: Database, items: Iterable<Item>, work: (item: Item) => void): void {
  let portion: Item[] = [];
  const commit = db.transaction(() => portion.forEach((item) => void work(item)));
  for (const item of items) {
    portion.push(item);
    if (portion.length < itemsAtOnce) continue;
    commit.immediate();
    portion = [];
  }
  commit.immediate();
}

interface TakerParts {
  readonly own: MergeStatements;
  readonly bodies: Bodies;
  /** Whether any call of the other ledger would take an answer. */
  readonly isTaken: (answer: OtherAnswer) => boolean;
  /** Whether the body of an answer of the other ledger matches its checksum. */
  readonly isWhole: (place: BodyPlace) => boolean;
  /** A bundle of the other ledger. */
  readonly bundle: (bundleId: number) => Bundle | undefined;
}

/** Takes over one answer or call of the other ledger after the other. */
function openTaker({ own, bodies, isTaken, isWhole, bundle: bundleThere }: TakerParts) {
  const counts = { taken: 0, known: 0, mended: 0, damaged: 0 };
  /** Ids here of bundles of the other ledger. */
  const bundles = new Map<number, number>();

  const bundleOf = (id: number | null): number | null => {
    if (id === null) return null;
    const known = bundles.get(id);
    if (known !== undefined) return known;
    const bundle = bundleThere(id);
    if (!bundle) throw new Error(`bundle ${id} was read before and is gone`);
    const added = Number(own.addBundle.run(bundle).lastInsertRowid);
    bundles.set(id, added);
    return added;
  };
  const add = (answer: OtherAnswer, callId: number): number => {
    const facts = { ...answer, callId, bundleId: bundleOf(answer.bundleId) };
    const id = Number(own.addAnswer.run(facts).lastInsertRowid);
    own.addTwin.run({ callId, fetchedAt: answer.fetchedAt, id });
    counts.taken += 1;
    return id;
  };
  const mend = (answer: OtherAnswer, id: number): number => {
    own.mend.run({ ...answer, id, bundleId: bundleOf(answer.bundleId) });
    counts.mended += 1;
    return id;
  };
  /** The id here of an answer, which is added or mended where that is of use; undefined where it is not. */
  const idOf = (answer: OtherAnswer, callId: number): number | undefined => {
    const twins = own.twins.all({ ...twinFacts(answer), callId });
    const whole = twins.find((twin) => bodies.read(twin) !== null);
    if (whole) {
      counts.known += 1;
      return whole.id;
    }
    const [damaged] = twins;
    if (!damaged && !isTaken(answer)) return undefined;
    if (!isWhole(answer)) {
      counts.damaged += 1;
      return undefined;
    }
    return damaged ? mend(answer, damaged.id) : add(answer, callId);
  };
  return {
    counts,
    take(answer: OtherAnswer): void {
      if (!isSound(answer)) {
        counts.damaged += 1;
        return;
      }
      const callId = own.callOf(answer.key, answer.request);
      const answerId = idOf(answer, callId);
      const isNewest = answer.isNewest === 1;
      if (isNewest && answerId !== undefined) own.setNewest.run({ callId, answerId });
    },
    join({ key, request, answerKey, ...answer }: JoinedCall): void {
      const answeredId = own.callOf(answerKey, answer.answerRequest);
      const [twin] = own.twins.all({ ...twinFacts(answer), callId: answeredId });
      if (twin) own.setNewest.run({ callId: own.callOf(key, request), answerId: twin.id });
    },
  };
}

/** By what an answer is known again in a ledger that was once a copy of the other, or took it over. */
function twinFacts({ fetchedAt, outcome, checksum }: Omit<TwinFacts, 'callId'>) {
  return { fetchedAt, outcome, checksum };
}
