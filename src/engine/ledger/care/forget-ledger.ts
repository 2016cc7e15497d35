import type { Database } from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { suppressedOutcome } from '../../../core/rules/row-outcome.ts';
import { jsonText } from '../../../core/values/json-text.ts';
import type { Provider } from '../../providers/provider.ts';
import { aliasesIn } from '../calls/aliases.ts';
import { type LedgerFile, refuseDamaged } from '../file/ledger-file.ts';
import { withLedgerErrors } from '../file/ledger-path.ts';
import { checksumOf, defineOutcomeChecksum } from '../rows/outcomes.ts';
import { type RowTexts, rowChecksum } from '../rows/rows.ts';
import { statementsOn } from '../statements.ts';
import { dropSearches, eraseAnswers } from './erase-answers.ts';
import { type Found, findInLedger, readBody, wasForgotten } from './find-forgotten.ts';
import { clearPeople, forgottenIn } from './forgotten.ts';
import { giveBack, refuseRunsInUse } from './prune-ledger.ts';

/** Stored until all data to forget is erased, so the next `forget` can finish a killed one. */
export interface Intent {
  /** Includes the other identifiers of the same companies and people. */
  readonly keys: readonly string[];
  readonly rowKeys: readonly string[];
  /** Calls of the company and its people. */
  readonly callTexts: readonly string[];
  readonly jobs: readonly string[];
  readonly counts: Readonly<Record<'companies' | 'people' | 'answers' | 'rows', number>>;
}

/** Call `finishForgetting` after rewriting results. */
export function forgetInLedger(
  { db, path }: LedgerFile,
  asked: readonly string[],
  lockedJobs: readonly string[],
  maybe: readonly string[] = [],
) {
  return withLedgerErrors(path, () => {
    refuseDamaged(db, path);
    return db
      .transaction(() => {
        refuseRunsInUse(db, path, lockedJobs);
        aliasesIn(statementsOn(db)).gatherAliases();
        const before = readIntent(db);
        const hasKey = wasForgotten(db);
        const found = findInLedger(db, asked, maybe, before.keys);
        eraseInLedger(db, found);
        const both = (part: 'rowKeys' | 'callTexts' | 'jobs') => [
          ...new Set([...before[part], ...found[part]]),
        ];
        const sum = (what: keyof Intent['counts']) => before.counts[what] + found.counts[what];
        const intent: Intent = {
          keys: found.keys,
          rowKeys: both('rowKeys'),
          callTexts: both('callTexts'),
          // If a value was forgotten before, the ledger no longer shows which jobs used it, so the
          // results of all jobs are rewritten.
          jobs: asked.some(hasKey) ? lockedJobs : both('jobs'),
          counts: {
            companies: sum('companies'),
            people: sum('people'),
            answers: sum('answers'),
            rows: sum('rows'),
          },
        };
        db.prepare(`insert or replace into forgetting (only_row, intent) values (1, ?)`).run(
          JSON.stringify(intent),
        );
        return { ...found, ...intent };
      })
      .immediate();
  });
}

function readIntent(db: Database): Intent {
  const stored = db.prepare<[], string>(`select intent from forgetting`).pluck().get();
  const counts = { companies: 0, people: 0, answers: 0, rows: 0 };
  const none = { keys: [], rowKeys: [], callTexts: [], jobs: [], counts };
  return stored ? { ...none, ...JSON.parse(stored) } : none;
}

/** Clears free pages and SQLite's log, which still contain forgotten data. */
export function finishForgetting({ db, path }: LedgerFile): void {
  withLedgerErrors(path, () => {
    db.pragma('secure_delete = on');
    db.exec(`delete from forgetting`);
    if (giveBack(db, path)) return;
    const message = `another program is reading ${path}, so ${path}-wal still contains forgotten data`;
    throw new DossierError('JOB_BUSY', message);
  });
}

/** Keeps hashes, so later runs recognize the identifiers. Call inside a transaction. */
function eraseInLedger(db: Database, found: Found) {
  const { given, people, names, search, jobs } = found;
  const { add } = forgottenIn(statementsOn(db));
  for (const key of given) add(key, key);
  for (const { key, by } of names) for (const one of by) add(one, key);

  defineOutcomeChecksum(db);
  clearRows(db, 'gone_row', () => true);
  clearRows(db, 'holding_row', search.holds);
  dropSearches(db, `select id from search where is_forgotten_company(company_id, service_id)`);
  for (const id of people) {
    db.prepare(`delete from found where person_id = ?`).run(id);
    db.prepare(
      `update search set changed_runs = json_remove(changed_runs, ?) where changed_runs is not null`,
    ).run(`$.${JSON.stringify(id)}`);
  }
  db.function('without_values', (names, columns) =>
    names === null
      ? null
      : JSON.stringify(
          (JSON.parse(String(names)) as string[]).map((name) =>
            search.holds(name)
              ? `forgotten_${JSON.parse(String(columns)).indexOf(name) + 1}`
              : name,
          ),
        ),
  );
  // Empties `tally`, because the samples in it may show forgotten companies and people.
  db.exec(`
    delete from waiting where row_id in temp.gone_row or call_id in temp.gone_call;
    delete from possibly_charged_call where call_id in temp.gone_call;
    update answer set message = null where message is not null and holds_value(message);
    update outcome as o set message = null, checksum = ${checksumOf('o', { message: 'null' })}
    where message is not null and holds_value(message);
    update run set columns = without_values(columns, columns),
      key_columns = without_values(key_columns, columns)
    where holds_value(columns);
    delete from tally`);
  eraseAnswers(
    db,
    suppressedOutcome,
    'row_id in temp.gone_row',
    'b.id in (select bundle_id from answer where id in temp.holding_answer)',
    (body, provider) => withoutValues(body, provider, found),
  );
  // An unfinished run must not resume, because its counts are now wrong.
  db.prepare(
    `update run set state = 'superseded' where state = 'open' and job in (select value from json_each(?))`,
  ).run(JSON.stringify(jobs));
}

function clearRows(db: Database, table: string, isGone: (text: string) => boolean) {
  const rows = db.prepare<[], RowTexts & { readonly id: number }>(
    `select id, key, cells, country, candidates, register from row where id in temp.${table}`,
  );
  // With a random hash, the same cells in a later list become a new row.
  const update = db.prepare(`
    update row set hash = randomblob(16), key = :key, cells = :cells, candidates = :candidates,
      register = :register, checksum = :checksum
    where id = :id`);
  for (const { id, key, cells, country, candidates, register } of rows.all()) {
    const cleared = {
      key: isGone(key) ? `forgotten-${id}` : key,
      cells: JSON.stringify(
        (JSON.parse(cells) as (string | null)[]).map((cell) =>
          cell !== null && isGone(cell) ? null : cell,
        ),
      ),
      country,
      candidates: isGone(candidates) ? '[]' : candidates,
      register: register !== null && isGone(register) ? null : register,
    };
    update.run({ ...cleared, id, checksum: rowChecksum(cleared) });
  }
}

function withoutValues(
  body: Buffer,
  provider: Provider,
  { search, suppression }: Pick<Found, 'search' | 'suppression'>,
) {
  const json = readBody(body);
  if (typeof json === 'string') return Buffer.from(search.without(String(body)));
  const text = clearPeople(provider, json, suppression.hasPerson)
    ? jsonText(json)
    : body.toString();
  const cleared = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*/g, (token) => {
    if (!token.startsWith('"')) return search.holds(token) ? 'null' : token;
    const plain = JSON.parse(token) as string;
    return search.holds(plain) ? JSON.stringify(search.without(plain)) : token;
  });
  return Buffer.from(cleared);
}
