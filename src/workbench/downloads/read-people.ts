import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ReferenceNames } from '../../contract/reference.ts';
import type { FlatRecord } from '../../records/columns.ts';
import { siblingModule } from '../../runtime/thread/thread.ts';

/** Whose people are read. */
export interface PeopleSource {
  readonly ledger: string;
  readonly run: number;
  /** What the job calls seniorities and departments. */
  readonly names: ReferenceNames;
  /** How old people may be who stand in for those of a search that did not end. */
  readonly staleMs: number;
}

/** The people of a company, and the rows that have found it. */
export interface CompanyPeople {
  readonly rows: readonly number[];
  readonly people: readonly FlatRecord[];
}

/**
 * The people of a run, by companies in the order of their first row, as in an export. They are read in a
 * process of its own: which rows have found a company is told by a look at all rows, for which every other
 * request would wait.
 */
export async function* readPeople(
  source: PeopleSource,
  signal: AbortSignal,
): AsyncGenerator<CompanyPeople> {
  const script = fileURLToPath(siblingModule(import.meta.url, 'people-here'));
  const child = spawn(process.execPath, [...process.execArgv, script, JSON.stringify(source)], {
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  // A failure is thrown when the last line is read.
  ended.catch(() => {});
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      yield JSON.parse(line) as CompanyPeople;
    }
    if ((await ended) !== 0) throw new Error(`people cannot be read: ${await said}`);
  } finally {
    child.kill('SIGKILL');
  }
}
