import Database from 'better-sqlite3';
import { DossierError, errorCatalog } from '../../../core/errors.ts';
import { formatNumber } from '../../../core/values/format.ts';
import { isSqliteBusy } from '../../../platform/files/lock-file.ts';
import { type BodyLocation, bodiesIn, bodyColumns } from '../calls/bodies.ts';
import {
  atOneMoment,
  isOutdated,
  openFileToRead,
  pageBytes,
  refuseDamaged,
  sizeOf,
} from '../file/ledger-file.ts';
import { realLedgerPath, refuseMountedFile, withLedgerErrors } from '../file/ledger-path.ts';
import { listDigest, listsIn } from '../rows/lists.ts';
import { checksumMatches, defineOutcomeChecksum } from '../rows/outcomes.ts';
import { type RowTexts, rowChecksum } from '../rows/rows.ts';
import { statementsOn } from '../statements.ts';

export interface Finding {
  readonly what: 'file' | 'list' | 'row' | 'answer';
  readonly finding: string;
  readonly count: number | null;
  readonly remedy: string;
}

const remedies = {
  ledger: errorCatalog.LEDGER_DAMAGED.remedy,
  answer:
    'To restore these answers without a call, merge a backup that has them: `dossier ledger merge <backup>`. Without a backup, the next run pays for them again.',
} as const;

const mostFaults = 20;

export function examineLedger(given: string) {
  try {
    return atOneMoment(given, ({ db, path }) => {
      const found = db.pragma(`integrity_check(${mostFaults})`) as { integrity_check: string }[];
      const faults = found.map((one) => one.integrity_check).filter((text) => text !== 'ok');
      if (faults.length > 0) {
        return { path, answers: 0, findings: faults.map((text) => fault(`SQLite finds: ${text}`)) };
      }
      const { answers, damaged } = examineAnswers(db);
      return { path, answers, findings: [...examineLists(db), ...examineRows(db), ...damaged] };
    });
  } catch (error) {
    if (!(error instanceof DossierError) || error.code !== 'LEDGER_DAMAGED') throw error;
    return { path: given, answers: 0, findings: [fault(error.message)] };
  }
}

function fault(finding: string): Finding {
  return { what: 'file', finding, count: null, remedy: remedies.ledger };
}

function countIn(db: Database.Database, from: string) {
  return Number(db.prepare(`select count(*) from ${from}`).pluck().get());
}

function countedFinding(what: Finding['what'], count: number, about: string, more = ''): Finding[] {
  if (count === 0) return [];
  const finding = `${about}: ${formatNumber(count)} ${more}`.trimEnd();
  return [{ what, finding, count, remedy: remedies[what === 'answer' ? what : 'ledger'] }];
}

function examineLists(db: Database.Database): Finding[] {
  const lists = listsIn(statementsOn(db));
  const known = db
    .prepare<[], { id: number; digest: Buffer }>(
      `select id, digest from list where digest is not null`,
    )
    .all();
  const damaged = known.filter(({ id, digest }) => {
    try {
      return !listDigest(lists.blocks(id)).equals(digest);
    } catch {
      return true;
    }
  });
  const all = formatNumber(known.length);
  return countedFinding(
    'list',
    damaged.length,
    'lists that do not match their digest',
    `of ${all}`,
  );
}

function examineRows(db: Database.Database): Finding[] {
  const rows = db.prepare<[], RowTexts & { readonly checksum: number }>(
    `select key, cells, country, candidates, register, checksum from row`,
  );
  let damaged = 0;
  for (const row of rows.iterate()) if (rowChecksum(row) !== row.checksum) damaged += 1;
  defineOutcomeChecksum(db);
  const countOutcomes = (which: string) =>
    countIn(db, `outcome o left join answer a on a.id = o.answer_id where ${which}`);
  const changed = countOutcomes(`not ${checksumMatches('o')}`);
  const strange = countOutcomes(
    `o.status = 'matched' and o.match <> 'joined' and a.call_id <> o.call_id and ${checksumMatches('o')}`,
  );
  return [
    ...countedFinding('row', damaged, 'rows that do not match their checksum'),
    ...countedFinding('row', changed, 'outcomes that do not match their checksum'),
    ...countedFinding('row', strange, 'rows that have the answer to another call'),
  ];
}

function examineAnswers(db: Database.Database) {
  const bodies = bodiesIn(statementsOn(db));
  const stored = db.prepare<[], BodyLocation & { id: number; text: string | null }>(`
    select a.id, ${bodyColumns}, (select c.text from call c where c.id = a.call_id) as text
    from answer a order by a.id`);
  let answers = 0;
  let count = 0;
  let example = '';
  for (const answer of stored.iterate()) {
    answers += 1;
    if (bodies.read(answer) !== null) continue;
    count += 1;
    example ||= answer.text ?? `answer ${answer.id}`;
  }
  const more = `of ${formatNumber(answers)}; the first: ${example}`;
  const about = 'answers that do not match their checksum';
  return { answers, damaged: countedFinding('answer', count, about, more) };
}

export function checkLedger(given: string) {
  const path = realLedgerPath(given);
  refuseMountedFile(path);
  withLedgerErrors(path, () => {
    const db = new Database(path, { fileMustExist: true, timeout: 0 });
    try {
      refuseDamaged(db, path);
      db.exec('begin immediate');
    } catch (error) {
      // A busy ledger is writable, because another process is writing to it.
      if (!isSqliteBusy(error)) throw error;
    } finally {
      db.close();
    }
  });
  using file = openFileToRead(path, true);
  if (!file) return { runs: 0, isOutdated: false };
  const isOld = isOutdated(file.db, path);
  // Before its upgrade, a ledger may have no kinds.
  const isLookup = isOld ? `job glob 'lookup@*'` : `kind = 'lookup'`;
  const runs = countIn(file.db, `run where state <> 'ingesting' and not ${isLookup}`);
  return { runs, isOutdated: isOld };
}

const tablesOf = {
  answers: ['answer', 'bundle'],
  calls: ['call'],
  aliases: ['alias', 'alias_progress'],
  rows: ['list', 'list_block', 'row', 'outcome', 'waiting'],
  runs: [
    'run',
    'start',
    'delivery',
    'retention',
    'lease',
    'possibly_charged_call',
    'completed_call',
    'search',
    'found',
    'progress',
  ],
  other: [] as string[],
  free: [] as string[],
};
export type Part = keyof typeof tablesOf;
const parts = Object.keys(tablesOf) as Part[];

export function measureLedger(given: string) {
  const iso = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
  return atOneMoment(given, ({ db, path }) => {
    const answers = db
      .prepare(`
        select ${iso('min(fetched_at)')} as oldestAnswerAt, ${iso('max(fetched_at)')} as newestAnswerAt
        from answer`)
      .get() as Record<'oldestAnswerAt' | 'newestAnswerAt', string | null>;
    const jobs = db
      .prepare<
        [],
        { job: string; runs: number; pruned: number; oldestRunAt: string; newestRunAt: string }
      >(`
        select job, count(*) as runs, count(pruned_at) as pruned, ${iso('min(started_at)')} as oldestRunAt,
          ${iso('max(started_at)')} as newestRunAt
        from run where kind <> 'lookup' group by job order by job`)
      .all();
    return {
      ledger: path,
      fileBytes: sizeOf(path),
      logBytes: sizeOf(`${path}-wal`),
      answers: countIn(db, 'answer'),
      calls: countIn(db, 'call'),
      aliases: countIn(db, 'alias'),
      rows: countIn(db, 'row'),
      ...answers,
      runs: countIn(db, `run where kind <> 'lookup'`),
      lookups: countIn(db, `run where kind = 'lookup'`),
      bytes: bytesByPart(db),
      jobs,
    };
  });
}

function bytesByPart(db: Database.Database): Record<Part, number> {
  const bytes = Object.fromEntries(parts.map((part) => [part, 0])) as Record<Part, number>;
  const trees = db
    .prepare<[], { owner: string; bytes: number }>(`
      select coalesce(s.tbl_name, d.name) as owner, sum(d.pgsize) as bytes
      from dbstat d left join sqlite_schema s on s.name = d.name
      where d.aggregate = 1 group by owner`)
    .all();
  for (const tree of trees) {
    const part = parts.find((some) => tablesOf[some].includes(tree.owner)) ?? 'other';
    bytes[part] += tree.bytes;
  }
  bytes.free = pageBytes(db).free;
  return bytes;
}
