import { type FileHandle, open, rm } from 'node:fs/promises';
import { nameTemporary, outputTrouble } from './atomic-file.ts';

/** Bytes that wait on the disk until they are read again, in order. */
export interface SpoolFile {
  write(bytes: Uint8Array): Promise<void>;
  /** The bytes from the first on, when all are written. A chunk is good until the next one is asked for. */
  chunks(): AsyncGenerator<Uint8Array>;
  discard(): Promise<void>;
}

const chunkBytes = 256 * 1_024;

/** Opens a file beside `path`. The name tells `removeLeftovers` what a killed process has left. */
export async function openSpoolFile(path: string): Promise<SpoolFile> {
  const temporary = nameTemporary(path);
  let handle: FileHandle | undefined = await attempt(() => open(temporary, 'wx+'));

  async function attempt<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step();
    } catch (error) {
      throw outputTrouble(path, error);
    }
  }
  return {
    write: (bytes) => attempt(async () => handle?.writeFile(bytes)),
    async *chunks() {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      for (let position = 0; ; ) {
        const at = { position };
        const read = await attempt(async () => handle?.read(chunk, at));
        if (!read?.bytesRead) return;
        position += read.bytesRead;
        yield chunk.subarray(0, read.bytesRead);
      }
    },
    async discard() {
      const closing = handle;
      handle = undefined;
      if (!closing) return;
      await closing.close().catch(() => {});
      await rm(temporary, { force: true }).catch(() => {});
    },
  };
}
