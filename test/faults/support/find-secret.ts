import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import type { Ended, World } from './world.ts';

/** The forms in which a key may leak: as it is, in lower case, encoded or escaped. */
function formsOf(key: string): Record<string, Buffer> {
  const bytes = Buffer.from(key);
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    plain: bytes,
    'in small letters': Buffer.from(key.toLowerCase()),
    'in UTF-16': Buffer.from(key, 'utf16le'),
    'in Base64': Buffer.from(bytes.toString('base64').slice(0, 20)),
    'in escapes of JSON': Buffer.from(key.replaceAll(/[^A-Za-z0-9]/g, escaped)),
    'in hexadecimal': Buffer.from(bytes.toString('hex')),
    'as a URL carries it': Buffer.from(encodeURIComponent(key)),
    'as PHP writes JSON': Buffer.from(key.replaceAll('/', '\\/')),
  };
}

/** Finds the key in the output of the runs and in all files of the world. */
export function findSecret(
  key: string,
  world: Pick<World, 'folder' | 'ledger'>,
  runs: readonly Ended[],
): string[] {
  const places: Record<string, Buffer> = {};
  for (const [index, { stdout, stderr }] of runs.entries()) {
    places[`standard output of run ${index + 1}`] = Buffer.from(stdout);
    places[`standard error of run ${index + 1}`] = Buffer.from(stderr);
  }
  for (const path of filesUnder(world.folder)) {
    places[relative(world.folder, path)] = readFileSync(path);
  }
  Object.assign(places, storedBodies(world.ledger));
  return findIn(key, places);
}

/** Which places hold the key, and in which form. */
export function findIn(key: string, places: Readonly<Record<string, Buffer>>): string[] {
  return Object.entries(places).flatMap(([place, bytes]) =>
    Object.entries(formsOf(key))
      .filter(([, form]) => bytes.includes(form))
      .map(([form]) => `${place}: ${form}`),
  );
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The bodies of the ledger's answers. They are compressed, so a search in the file misses them. */
function storedBodies(ledger: string): Record<string, Buffer> {
  if (!existsSync(ledger)) return {};
  const db = new Database(ledger, { readonly: true });
  try {
    const answers = db.prepare<[], { id: number }>(
      'select id from answer where bundle_id is not null',
    );
    using bodies = openLedgerToRead(ledger);
    return Object.fromEntries(
      answers
        .all()
        .map(({ id }) => [`answer ${id}`, bodies?.calls.body(id) ?? Buffer.alloc(0)] as const),
    );
  } finally {
    db.close();
  }
}
