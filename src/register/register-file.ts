import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../core/errors.ts';
import { hashKey } from '../core/rules/suppression.ts';

const applicationId = 0x44_53_72_67;
const version = 1;

/** `DSrg` files of this version only: a register can always be loaded again. */
export function openRegisterFile(path: string): Database.Database {
  if (!existsSync(path)) {
    throw new DossierError('REGISTER_MISSING', `there is no register of company names at ${path}`);
  }
  return withRegisterErrors(path, () => {
    const db = new Database(path, { readonly: true });
    // Names are read all over the file, and copying its pages costs more than finding them.
    db.pragma(`mmap_size = ${2 ** 32}`);
    const found = db.pragma('application_id', { simple: true });
    // One snapshot: locking for each statement takes longer than most of them. Nobody waits,
    // because a register is never changed, only replaced.
    db.exec('begin');
    const foundVersion = Number(db.pragma('user_version', { simple: true }));
    if (found === applicationId && foundVersion === version) return db;
    db.close();
    if (found !== applicationId) {
      throw new DossierError('FILE_FOREIGN', `${path} is not a register of Dossier`);
    }
    throw new DossierError('NEWER_VERSION', `${path} is a register of another version`);
  });
}

/**
 * Salted hashes of suppression keys and of folded names; a name follows the key of its entity, so both are
 * allowed again together.
 */
export function readForgotten(db: Database.Database) {
  const salt = db.prepare<[], string>('select salt from salt').pluck().get() ?? '';
  const hashes = db.prepare<[], string>('select hash from forgotten').pluck().all();
  return {
    forgotten: new Set(hashes.flatMap((hash) => hash.split(' '))),
    hashOf: (key: string) => hashKey(key, salt).toString(16),
  };
}

/** Without a journal, because nobody reads the file until it is renamed. */
export function createRegisterFile(path: string, isCopy: boolean): Database.Database {
  const db = new Database(path);
  for (const setting of [
    ...['page_size = 4096', 'journal_mode = off', 'synchronous = off', 'locking_mode = exclusive'],
    // 32 MiB. The sorter of an index keeps as much, and puts the rest into temporary files.
    ...['cache_size = -16384', 'temp_store = file', 'secure_delete = on'],
    ...[`application_id = ${applicationId}`, `user_version = ${version}`],
  ]) {
    db.pragma(setting);
  }
  if (isCopy) return db;
  db.exec(readFileSync(join(import.meta.dirname, 'sql/register.sql'), 'utf8'));
  db.prepare('insert into salt values (?)').run(randomBytes(16).toString('hex'));
  return db;
}

export function registerError(path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof DossierError || !String(code).startsWith('SQLITE_')) return error;
  const text = `the register ${path} cannot be used: ${message}`;
  return new DossierError('REGISTER_TROUBLE', text, { cause: error });
}

function withRegisterErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw registerError(path, error);
  }
}

/**
 * 48 bits: the first word, then the rest. So names that begin with a word stand together.
 * Readers compare the names themselves, too.
 */
export function foldHash(fold: string): number {
  const end = fold.indexOf(' ');
  const first = end === -1 ? fold : fold.slice(0, end);
  return firstHash(first) + (end === -1 ? 0 : hash24(fold.slice(end)) || 1);
}

export function firstHash(word: string): number {
  return hash24(word) * 2 ** 24;
}

/** FNV-1a. */
function hash24(text: string) {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  }
  return (hash ^ (hash >>> 24)) & 0xff_ff_ff;
}
