import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError } from '../../errors.ts';

/** A file that is read in any order. */
export interface RandomBytes {
  readonly size: number;
  /** Exactly these bytes; a file that ends before them is an error. */
  read(position: number, length: number): Promise<Buffer>;
  bytesRead(): number;
  close(): Promise<void>;
}

/** Opens a file of this machine. */
export async function openFileBytes(path: string): Promise<RandomBytes> {
  return readableBytes(await open(path, 'r'), path);
}

/**
 * Copies a stream to a temporary file, which nobody else may read. The file has no name from the first
 * byte on, so that a process that is killed leaves nothing behind.
 */
export async function spoolBytes(
  name: string,
  source: AsyncIterable<Buffer>,
): Promise<RandomBytes> {
  const path = join(tmpdir(), `dossier-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600).catch((error: Error) => {
    throw noRoom(name, error);
  });
  try {
    await rm(path, { force: true });
    for await (const chunk of source) {
      await handle.writeFile(chunk).catch((error: Error) => {
        throw noRoom(name, error);
      });
    }
    return await readableBytes(handle, name);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readableBytes(handle: FileHandle, name: string): Promise<RandomBytes> {
  const { size } = await handle.stat();
  let bytesRead = 0;
  let isClosed = false;
  return {
    size,
    bytesRead: () => bytesRead,
    async read(position, length) {
      const bytes = Buffer.alloc(length);
      let filled = 0;
      while (filled < length) {
        const read = await handle.read(bytes, filled, length - filled, position + filled);
        if (read.bytesRead === 0) {
          throw new DossierError(
            'INPUT_UNREADABLE',
            `${name} has become shorter while it was read`,
          );
        }
        filled += read.bytesRead;
      }
      bytesRead += length;
      return bytes;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await handle.close();
    },
  };
}

function noRoom(name: string, cause: Error): DossierError {
  return new DossierError(
    'INPUT_UNREADABLE',
    `${name} cannot be copied to ${tmpdir()}, which reading it needs: ${cause.message}; TMPDIR names another folder`,
    { cause },
  );
}
