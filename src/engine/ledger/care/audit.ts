import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { DossierError, exitCodeOf } from '../../../core/errors.ts';
import { atOneMoment, openFile } from '../file/ledger-file.ts';
import { withLedgerErrors } from '../file/ledger-path.ts';

/** A function if the command is known only at its end. */
export type Command = string | (() => string);

export async function audited<Result>(
  { name: job, ledger }: { readonly name: string; readonly ledger: string },
  given: Command,
  work: () => Result | Promise<Result>,
  say: (sentence: string) => void,
): Promise<Result> {
  const note = (exitCode: number, counts: Record<string, number>) => {
    const command = typeof given === 'string' ? given : given();
    if (command.endsWith('--dry-run') || !existsSync(ledger)) return;
    try {
      using file = openFile(ledger, { mustExist: true });
      const who = { user: userName(), host: hostname() };
      const what = { command, job, counts: JSON.stringify(counts), exitCode };
      const add = () => file.db.prepare(newEntry).run({ at: Date.now(), ...who, ...what });
      withLedgerErrors(file.path, add);
    } catch (error) {
      // The work is done, so a read-only ledger must not make the command fail.
      say(`The audit log of ${ledger} has no record of this command: ${(error as Error).message}`);
    }
  };
  try {
    const result = await work();
    const { exitCode = 0 } = Object(result) as CommandResult;
    note(exitCode, countsOf(result));
    return result;
  } catch (error) {
    const isDamaged = error instanceof DossierError && error.code === 'LEDGER_DAMAGED';
    if (!isDamaged) note(exitCodeOf(error), {});
    throw error;
  }
}

const newEntry = `
  insert into audit (at, user, host, command, job, counts, exit_code)
  values (:at, :user, :host, :command, :job, :counts, :exitCode)`;

interface CommandResult {
  readonly exitCode?: number;
  /** Set by a run or export. */
  readonly exported?: { readonly rows: object; readonly people: number };
  /** Set by a lookup. */
  readonly row?: object;
}

/** Only numbers: the audit must not contain identifiers or cells. */
function countsOf(result: unknown): Record<string, number> {
  const { exported, row } = Object(result) as CommandResult;
  if (row) return {};
  const facts: object = exported ? { ...exported.rows, people: exported.people } : Object(result);
  const counts = Object.entries(facts).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.length : value,
  ]);
  return Object.fromEntries(counts.filter(([, value]) => Number.isInteger(value)));
}

/** In a container, the user may have no name. */
function userName() {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export function readAudit(ledger: string, since: number) {
  return atOneMoment(ledger, ({ db }) => {
    const lines = db.prepare<
      [number],
      Record<'user' | 'host' | 'command' | 'job' | 'counts', string> &
        Record<'at' | 'exitCode', number>
    >(`
      select at, user, host, command, job, counts, exit_code as exitCode from audit
      where at >= ? order by id`);
    return lines.all(since).map((line) => ({
      ...line,
      at: new Date(line.at).toISOString(),
      counts: JSON.parse(line.counts) as Record<string, number>,
    }));
  });
}
