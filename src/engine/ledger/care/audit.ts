import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { atOneMoment, openFile } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-path.ts';

/** Contains no identifiers or cells. */
export interface AuditEntry {
  readonly at: number;
  readonly user: string;
  readonly host: string;
  readonly command: string;
  readonly job: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly exitCode: number;
}

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

/** A container's user may have a number but no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export function readAudit(ledger: string, since: number): AuditEntry[] {
  return atOneMoment(ledger, ({ db }) => {
    const lines = db.prepare<[number], Omit<AuditEntry, 'counts'> & { counts: string }>(`
      select at, user, host, command, job, counts, exit_code as exitCode from audit
      where at >= ? order by id`);
    return lines.all(since).map((line) => ({ ...line, counts: JSON.parse(line.counts) }));
  });
}
