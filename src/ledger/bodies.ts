import type { Database } from 'better-sqlite3';
import type { Bundle, BundledBody } from '../contract/call.ts';
import { bodyOf, bundleBodies } from '../runtime/bundle.ts';

/** Where an answer says that its body is; all null where it has none. */
export interface BodyPlace {
  readonly bundleId: number | null;
  readonly start: number | null;
  readonly length: number | null;
  readonly checksum: number | null;
}

export interface Bodies {
  put(body: Buffer | BundledBody | null): BodyPlace;
  /** Null when the bytes are not those that were kept, undefined when there are none. */
  read(place: BodyPlace): Buffer | null | undefined;
}

/** The columns of an answer `a` that make a place. */
export const bodyColumns = `
  a.bundle_id as bundleId, a.body_start as start, a.body_length as length, a.checksum`;

const nowhere: BodyPlace = { bundleId: null, start: null, length: null, checksum: null };

/** Answers of neighbouring rows came at about the same time, so they are in few bundles. */
const bundlesAtHand = 40;

export function bodiesIn(db: Database): Bodies {
  const statements = prepareStatements(db);
  const stored = new WeakMap<Bundle, number>();
  /** The last to be read, the longest unread first. */
  const read = new Map<number, Bundle>();

  const putBundle = (bundle: Bundle): number => {
    const known = stored.get(bundle);
    if (known !== undefined) return known;
    const bundleId = Number(statements.insert.run(bundle).lastInsertRowid);
    stored.set(bundle, bundleId);
    return bundleId;
  };
  const readBundle = (bundleId: number): Bundle | undefined => {
    const bundle = read.get(bundleId) ?? statements.get.get({ bundleId });
    if (!bundle) return undefined;
    read.delete(bundleId);
    read.set(bundleId, bundle);
    const [oldest] = read.keys();
    if (read.size > bundlesAtHand && oldest !== undefined) read.delete(oldest);
    return bundle;
  };

  return {
    put(body) {
      const [kept] = Buffer.isBuffer(body) ? bundleBodies([body]) : [body];
      if (!kept) return nowhere;
      const { bundle, start, length, checksum } = kept;
      return { bundleId: putBundle(bundle), start, length, checksum };
    },
    read({ bundleId, start, length, checksum }) {
      if (bundleId === null) return undefined;
      const bundle = readBundle(bundleId);
      if (!bundle || start === null || length === null || checksum === null) return null;
      return bodyOf({ bundle, start, length, checksum });
    },
  };
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<Bundle>(`
      insert into bundle (encoding, plain_length, bytes) values (:encoding, :plainLength, :bytes)`),
    get: db.prepare<{ bundleId: number }, Bundle>(`
      select encoding, plain_length as plainLength, bytes from bundle where id = :bundleId`),
  };
}
