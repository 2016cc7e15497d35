import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DossierError } from '../../errors.ts';
import { outsideFailure } from '../outside-failures.ts';

/** A file that replaces the one at its path whole or not at all. */
export interface AtomicFile {
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the writing: when this returns, every byte is on the disk under the temporary name. */
  seal(): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** Takes the place of the old file. `syncFolder` makes that last through a power cut. */
  publish(): Promise<void>;
  /** Removes the temporary file; the old file stays. Does nothing after `publish`. */
  discard(): Promise<void>;
}

/** `.companies.csv.4711-1.dossier-tmp`: hidden, and tells whose it is. SQLite adds files of its own. */
const temporaryName = /^\..+\.(\d+)-\d+\.dossier-tmp(?:-journal|-wal|-shm)?$/;
const openTemporaries = new Set<string>();
let filesOpened = 0;

export async function openAtomicFile(path: string): Promise<AtomicFile> {
  const temporary = nameTemporary(path);
  let handle: FileHandle | undefined;
  const hash = createHash('sha256');
  let bytesWritten = 0;

  const remove = async () => {
    // Sealed, it is closed already.
    await handle?.close().catch(() => {});
    if (openTemporaries.delete(temporary)) await rm(temporary, { force: true });
  };
  let removed: Promise<void> | undefined;
  // A write that fails while the export is given up discards, too; both return when the file is gone.
  const discard = () => {
    removed ??= remove();
    return removed;
  };
  // Whatever fails, the temporary file goes before the error is told.
  const attempt = <Result>(step: () => Promise<Result>) => orTrouble(path, step, discard);

  const opened = await attempt(async () => {
    await refuseOthersThanFiles(path);
    openTemporaries.add(temporary);
    handle = await open(temporary, 'wx');
    return handle;
  });
  return {
    path,
    discard,
    write: (bytes) =>
      attempt(async () => {
        // Unlike `write`, `writeFile` goes on until every byte is written.
        const written = opened.writeFile(bytes);
        hash.update(bytes);
        await written;
        bytesWritten += bytes.length;
      }),
    seal: () =>
      attempt(async () => {
        await opened.sync();
        await opened.close();
        return { bytes: bytesWritten, sha256: hash.digest('hex') };
      }),
    publish: () =>
      attempt(async () => {
        await rename(temporary, path);
        openTemporaries.delete(temporary);
      }),
  };
}

/** For files that are at hand as a whole. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const file = await openAtomicFile(path);
  await file.write(Buffer.from(text));
  await file.seal();
  await file.publish();
  await syncFolder(dirname(path));
}

/** A rename is on the disk only when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  // Some network file systems cannot sync a folder and say so; there is nothing better to do there.
  const cannotSync = ['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'];
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (cannotSync.includes((error as NodeJS.ErrnoException).code ?? '')) return;
    throw outputTrouble(folder, error);
  }
}

/** Removes the temporary files of processes that were killed; those of living ones stay. */
export async function removeLeftovers(folder: string): Promise<void> {
  await orTrouble(folder, async () => {
    for (const name of await readdir(folder)) {
      const owner = temporaryName.exec(name)?.[1];
      const path = join(folder, name);
      if (owner === undefined || isInUse(path, Number(owner))) continue;
      await rm(path, { force: true });
    }
  });
}

async function orTrouble<Result>(
  path: string,
  step: () => Promise<Result>,
  undo?: () => Promise<void>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    await undo?.().catch(() => {});
    throw outputTrouble(path, error);
  }
}

/** The error for whatever the file system refuses to do with an output. */
export function outputTrouble(path: string, error: unknown): unknown {
  return outsideFailure('output', path, error) ?? error;
}

/** A name beside the path for a file that others write; `removeLeftovers` leaves it until it is disposed of. */
export function claimTemporary(path: string): { readonly path: string } & AsyncDisposable {
  const temporary = nameTemporary(path);
  openTemporaries.add(temporary);
  return {
    path: temporary,
    async [Symbol.asyncDispose]() {
      openTemporaries.delete(temporary);
      // SQLite may have made files beside it.
      const files = ['', '-journal', '-wal', '-shm'].map((end) => temporary + end);
      await Promise.allSettled(files.map((file) => rm(file, { force: true })));
    },
  };
}

/** A name beside the path that `removeLeftovers` knows. */
function nameTemporary(path: string): string {
  filesOpened += 1;
  return join(dirname(path), `.${basename(path)}.${process.pid}-${filesOpened}.dossier-tmp`);
}

/**
 * Found before the work, so that no export is half published when one of its renames fails. To put a file
 * in the place of a device or a pipe would take it from everybody on the machine.
 */
export async function refuseOthersThanFiles(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory()) throw Object.assign(new Error(`${path} exists`), { code: 'EISDIR' });
  if (facts && !facts.isFile()) throw new DossierError('OUTPUT_TROUBLE', `${path} is no file`);
}

/** In a container every run may have the same process id, so for our own id we know better. */
function isInUse(path: string, owner: number): boolean {
  if (owner === process.pid) return openTemporaries.has(path);
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const chunkBytes = 256 * 1_024;

/** Bytes that wait beside `path` until they are read again. Their file has no name, so a killed process leaves none. */
export async function openSpoolFile(path: string) {
  const attempt = <Result>(step: () => Promise<Result>) => orTrouble(path, step);
  const temporary = nameTemporary(path);
  const handle = await attempt(() => open(temporary, 'wx+'));
  await attempt(() => rm(temporary));
  return {
    write: (bytes: Uint8Array) => attempt(() => handle.writeFile(bytes)),
    /** The bytes from the first on, when all are written. */
    chunks: (): AsyncIterable<Buffer> =>
      handle.createReadStream({ start: 0, autoClose: false, highWaterMark: chunkBytes }),
    discard: () => handle.close(),
  };
}
