import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DossierError } from '../../core/errors.ts';
import { outsideFailure } from '../outside-failures.ts';
import { crcText, createHasher } from './checksums.ts';
import { fromHere } from './local-path.ts';

/** Disposing it discards what is not published. */
export interface AtomicFile extends AsyncDisposable {
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
  seal(): Promise<{ readonly bytes: number; readonly sha256: string; readonly crc32: string }>;
  /** Call `syncFolder` afterwards, so the rename survives a power cut. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

/** `.companies.csv.4711-1.dossier-tmp`, where 4711 is the process id. */
const temporaryName = /^\..+\.(\d+)-\d+\.dossier-tmp(?:-journal|-wal|-shm)?$/;
const openTemporaries = new Set<string>();
let filesOpened = 0;

export async function openAtomicFile(path: string, hasher = createHasher()): Promise<AtomicFile> {
  const temporary = nameTemporary(path);
  let handle: FileHandle | undefined;
  let crc = 0;
  let bytesWritten = 0;

  const discard = async () => {
    await handle?.close().catch(() => {});
    openTemporaries.delete(temporary);
    await rm(temporary, { force: true });
  };
  const attempt = <Result>(step: () => Promise<Result>) => withOutputErrors(path, step, discard);

  const opened = await attempt(async () => {
    await requireRegularFile(path);
    openTemporaries.add(temporary);
    handle = await open(temporary, 'wx');
    return handle;
  });
  return {
    path,
    discard,
    [Symbol.asyncDispose]: discard,
    write: (bytes) =>
      attempt(async () => {
        // Unlike `write`, `writeFile` continues until every byte is written.
        const written = opened.writeFile(bytes);
        const hashed = hasher.update(bytes);
        crc = crc32(bytes, crc);
        await Promise.all([written, hashed]);
        bytesWritten += bytes.length;
      }),
    seal: () =>
      attempt(async () => {
        await opened.sync();
        await opened.close();
        return { bytes: bytesWritten, sha256: await hasher.digest(), crc32: crcText(crc) };
      }),
    publish: () =>
      attempt(async () => {
        await rename(temporary, path);
        openTemporaries.delete(temporary);
      }),
  };
}

export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const file = await openAtomicFile(path);
  await file.write(Buffer.from(text));
  await file.seal();
  await file.publish();
  await syncFolder(dirname(path));
}

export async function syncFolder(folder: string): Promise<void> {
  // Some network file systems cannot sync a folder.
  const cannotSync = ['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'];
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (cannotSync.includes((error as NodeJS.ErrnoException).code ?? '')) return;
    throw outputError(folder, error);
  }
}

export async function removeLeftovers(folder: string): Promise<void> {
  await withOutputErrors(folder, async () => {
    for (const name of await readdir(folder)) {
      const owner = temporaryName.exec(name)?.[1];
      const path = join(folder, name);
      if (owner === undefined || isInUse(path, Number(owner))) continue;
      await rm(path, { force: true });
    }
  });
}

async function withOutputErrors<Result>(
  path: string,
  step: () => Promise<Result>,
  undo?: () => Promise<void>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    await undo?.().catch(() => {});
    throw outputError(path, error);
  }
}

export function outputError(path: string, error: unknown): unknown {
  return outsideFailure('output', path, error) ?? error;
}

/** `removeLeftovers` skips the file until it is disposed. */
export function claimTemporary(path: string): { readonly path: string } & AsyncDisposable {
  const temporary = nameTemporary(path);
  openTemporaries.add(temporary);
  return {
    path: temporary,
    async [Symbol.asyncDispose]() {
      openTemporaries.delete(temporary);
      const files = ['', '-journal', '-wal', '-shm'].map((end) => temporary + end);
      await Promise.allSettled(files.map((file) => rm(file, { force: true })));
    },
  };
}

function nameTemporary(path: string) {
  filesOpened += 1;
  return join(dirname(path), `.${basename(path)}.${process.pid}-${filesOpened}.dossier-tmp`);
}

/** A rename onto a folder would fail mid-export. Onto a device, it would remove the device. */
export async function requireRegularFile(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) throw Object.assign(new Error(`${path} exists`), { code: 'EISDIR' });
  if (stats && !stats.isFile())
    throw new DossierError('OUTPUT_TROUBLE', `${path} is not a regular file`);
}

/** In a container every run may have the same process id, so a file with ours may be a leftover. */
function isInUse(path: string, owner: number) {
  return owner === process.pid ? openTemporaries.has(path) : isAlive(owner);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const chunkBytes = 256 * 1_024;

/** The file is unlinked at once, so a killed process leaves nothing behind. */
export async function openSpoolFile(path: string) {
  const attempt = <Result>(step: () => Promise<Result>) => withOutputErrors(path, step);
  const temporary = nameTemporary(path);
  const handle = await attempt(() => open(temporary, 'wx+'));
  await attempt(() => rm(temporary));
  return {
    write: (bytes: Uint8Array) => attempt(() => handle.writeFile(bytes)),
    /** Call after the last write. */
    chunks: (): AsyncIterable<Buffer> =>
      handle.createReadStream({ start: 0, autoClose: false, highWaterMark: chunkBytes }),
    discard: () => handle.close(),
  };
}

/** Tries whether a folder, or the one in which it is to be created, can be written to. */
export async function requireWritable(path: string): Promise<void> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const trial = join(folder, 'check');
  try {
    const file = await openAtomicFile(trial);
    await file.discard();
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const message = error.message.replace(trial, fromHere(path));
    const remedy = 'No call was made. Free disk space, or choose a folder that you can write to.';
    throw new DossierError(error.code, message, { cause: error, remedy });
  }
}
