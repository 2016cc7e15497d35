import { stat } from 'node:fs/promises';
import { invalid } from './list-errors.ts';

/** Undefined if there is no file at the path, as for a pipe or URL. */
export async function versionOf(path: string): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = facts;
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * A file that is rewritten while it is read gives a mixture of two lists, or looks damaged. So it is
 * read a second time, and refused if it changes again. `read` calls `confirm` after the last row.
 */
export async function readSteady<Result>(
  path: string,
  read: (confirm: () => Promise<void>) => Promise<Result>,
  undo: () => Promise<unknown> = async () => {},
): Promise<Result> {
  for (let isSecond = false; ; isSecond = true) {
    const version = await versionOf(path);
    const hasChanged = async () => version !== (await versionOf(path));
    const changed = invalid(
      `${path} changes while it is being read: wait until the program that writes it has finished, or let it write another file and rename that`,
    );
    let isRead = false;
    try {
      return await read(async () => {
        if (await hasChanged()) throw changed;
        isRead = true;
      });
    } catch (error) {
      if (isRead || !(await hasChanged())) throw error;
      await undo();
      if (isSecond) throw changed;
    }
  }
}
