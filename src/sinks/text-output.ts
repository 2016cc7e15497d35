import { dirname } from 'node:path';
import { type AtomicFile, openAtomicFile, syncFolder } from '../runtime/files/atomic-file.ts';
import type { Output, WrittenRecords } from './sink.ts';

/** A small file about the records, whose text is known when they are written; undefined: no file. */
export function openTextOutput(
  path: string,
  textOf: (written: WrittenRecords) => string | undefined,
): Output {
  let file: AtomicFile | undefined;
  return {
    async prepare(written) {
      const text = textOf(written);
      if (text === undefined) return [];
      file = await openAtomicFile(path);
      await file.write(Buffer.from(text));
      await file.seal();
      return [];
    },
    async commit() {
      if (!file) return;
      await file.publish();
      await syncFolder(dirname(path));
    },
    abort: async () => file?.discard(),
  };
}
