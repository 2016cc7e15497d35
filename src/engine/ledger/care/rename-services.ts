import type { Database } from 'better-sqlite3';
import { defaultProvider, serviceOf } from '../../providers/providers.ts';
import { readServiceUrl } from '../../providers/service-url.ts';
import { bodiesIn } from '../calls/bodies.ts';
import { callKey } from '../calls/call-key.ts';
import { callsIn } from '../calls/calls.ts';
import { servicesIn } from '../calls/services.ts';
import { statementsOn } from '../statements.ts';

const isFormer = `f.key = call_key(:service, f.text)`;

/** Aliases that were never looked up stay lost: they are hashes of unknown calls. */
const changes = [
  `update call as f set service_id = :serviceId where ${isFormer}`,
  // If both spellings were used, the call with the newer answer counts.
  `update call set key = randomblob(16), service_id = :serviceId
  from call f join answer a on a.id = f.answer_id
  where ${isFormer} and call.key = call_key(:url, f.text) and a.fetched_at > coalesce(
    (select fetched_at from answer where id = call.answer_id), 0)`,
  `insert or ignore into alias
  select call_key(:url, f.text), l.answer_id from call f join alias l on l.key = f.key
  where ${isFormer}`,
  `update or ignore call as f set key = call_key(:url, text) where ${isFormer}`,
  `update run set service = :url where service = :service`,
];

/** An id means something only at its service, so calls and searches of 0.9.0 get theirs. */
const additions = [
  `update call set service_id = :serviceId
  where service_id is null and key = call_key(:service, text)`,
  `update search set service_id = :serviceId
  where service_id is null and run_id in (select id from run where service = :service)`,
];

export function servicesOfRuns(db: Database): string[] {
  return db.prepare<[], string>('select distinct service from run').pluck().all();
}

/** Version 0.9.0 took some spellings of a URL for other services. Call inside a transaction. */
export function renameServices(db: Database, services: readonly string[]): void {
  const statements = statementsOn(db);
  const stored = servicesIn(statements);
  const calls = callsIn(statements, bodiesIn(statements), stored);
  db.function('call_key', callKey);
  for (const service of services) {
    const { url } = readServiceUrl(service);
    if (url === service || serviceOf(service).provider !== defaultProvider) continue;
    if (calls.hasEverFound(service)) calls.noteFound(url);
    calls.gatherAliases();
    const serviceId = stored.idOf(serviceOf(url));
    for (const change of changes) db.prepare(change).run({ service, url, serviceId });
  }
}

/** Call inside a transaction, after `renameServices`. */
export function addServices(db: Database): void {
  const stored = servicesIn(statementsOn(db));
  for (const service of servicesOfRuns(db)) {
    const serviceId = stored.idOf(serviceOf(service));
    for (const addition of additions) db.prepare(addition).run({ service, serviceId });
  }
}
