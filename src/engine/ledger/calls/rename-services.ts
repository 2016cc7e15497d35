import type { Database } from 'better-sqlite3';
import { readServiceUrl } from '../../../job/service-url.ts';
import { statementsOn } from '../statements.ts';
import { bodiesIn } from './bodies.ts';
import { callKey } from './call-key.ts';
import { callsIn } from './calls.ts';
import { servicesIn } from './services.ts';

const isFormer = `f.key = call_key(:service, f.request)`;

/** Aliases that were never looked up stay lost: they are hashes of unknown calls. */
const changes = [
  // If both spellings were used, the call with the newer answer counts.
  `update call set key = randomblob(16) from call f join answer a on a.id = f.answer_id
  where ${isFormer} and call.key = call_key(:url, f.request) and a.fetched_at > coalesce(
    (select fetched_at from answer where id = call.answer_id), 0)`,
  `insert or ignore into alias
  select call_key(:url, f.request), l.answer_id from call f join alias l on l.key = f.key
  where ${isFormer}`,
  `update or ignore call as f set key = call_key(:url, request) where ${isFormer}`,
  `update run set service = :url where service = :service`,
];

export function servicesOfRuns(db: Database): string[] {
  return db.prepare<[], string>('select distinct service from run').pluck().all();
}

/** Version 0.9.0 took some spellings of a URL for other services. Call inside a transaction. */
export function renameServices(db: Database, services: readonly string[]): void {
  const statements = statementsOn(db);
  const calls = callsIn(statements, bodiesIn(statements), servicesIn(statements));
  db.function('call_key', callKey);
  for (const service of services) {
    const { url } = readServiceUrl(service);
    if (url === service) continue;
    if (calls.hasEverFound(service)) calls.noteFound(url);
    calls.gatherAliases();
    for (const change of changes) db.prepare(change).run({ service, url });
  }
}
