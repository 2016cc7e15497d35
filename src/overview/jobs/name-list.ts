import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';

/** What the job of a bare list is called, in the ledger and as a folder. */
export interface ListNames {
  readonly job: string;
  /** The folder under `output/` where its result goes. */
  readonly folder: string;
}

/**
 * Names the job of a bare list after its file: `leads`. Two lists of one file name are two jobs, so the
 * next one is `leads-2`. The same absolute path is the same list. The folder is chosen by the manifest in
 * it, because another ledger may have written that result.
 */
export function nameList({ name, list, ledger: path }: ResolvedJob, cwd: string): ListNames {
  using ledger = openLedgerToRead(path);
  const job = firstOf(name, (candidate) => {
    const known = ledger?.runs.knows(candidate, list);
    return !known?.job || known.list;
  });
  const folder = firstOf(job, (candidate) => {
    const owner = listOfResult(resolve(cwd, 'output', candidate));
    return owner === undefined || owner === list;
  });
  return { job, folder };
}

/** Names a list that has run, or takes the name of a job as it is. */
export function nameRanList(job: ResolvedJob, given: string, cwd: string): ListNames {
  const names = nameList(job, cwd);
  using ledger = openLedgerToRead(job.ledger);
  const hasRun = ledger?.runs.knows(names.job, job.list).list;
  if (hasRun || !ledger?.runs.knows(given, job.list).job) return names;
  return { job: given, folder: given };
}

/** `leads`, or the first of `leads-2`, `leads-3` … that is free. */
function firstOf(name: string, willDo: (candidate: string) => boolean): string {
  let candidate = name;
  for (let number = 2; !willDo(candidate); number += 1) candidate = numbered(name, number);
  return candidate;
}

/** Names of jobs have at most 64 characters. */
function numbered(name: string, number: number): string {
  const end = `-${number}`;
  return `${name.slice(0, 64 - end.length)}${end}`;
}

const Owner = z.object({ job: z.object({ list: z.string() }) });

/** The list whose result is in a folder; undefined without a result, or where no manifest names it. */
function listOfResult(folder: string): string | undefined {
  try {
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    return Owner.safeParse(JSON.parse(text)).data?.job.list;
  } catch {
    return undefined;
  }
}
