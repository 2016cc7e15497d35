import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { atOneMoment, openFile } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-path.ts';

/** What a command did with a ledger. Holds no identifier and no cell. */
export interface AuditEntry {
  /** When it ended. */
  readonly at: number;
  readonly user: string;
  readonly host: string;
  readonly command: string;
  readonly job: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly exitCode: number;
}

/** Adds a line about a command to the audit. Where no ledger was made, there is nothing to audit. */
export function addToAudit(ledger: string, entry: Omit<AuditEntry, 'user' | 'host'>): void {
  if (!existsSync(ledger)) return;
  using file = openFile(ledger, { mustExist: true });
  withTrouble(file.path, () =>
    file.db
      .prepare(`
        insert into audit (at, user, host, command, job, counts, exit_code)
        values (:at, :user, :host, :command, :job, :counts, :exitCode)`)
      .run({ ...entry, user: userName(), host: hostname(), counts: JSON.stringify(entry.counts) }),
  );
}

/** The user of a container may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The audit since a time, oldest first. */
export function readAudit(ledger: string, since: number): AuditEntry[] {
  return atOneMoment(ledger, ({ db }) => {
    const lines = db.prepare<[number], Omit<AuditEntry, 'counts'> & { counts: string }>(`
      select at, user, host, command, job, counts, exit_code as exitCode from audit
      where at >= ? order by id`);
    return lines.all(since).map((line) => ({ ...line, counts: JSON.parse(line.counts) }));
  });
}
