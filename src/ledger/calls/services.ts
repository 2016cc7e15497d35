import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';

/** Services that have given a hit. An empty 404 is a miss of such a service, and of no other. */
export interface Services {
  isProven(service: string): boolean;
  prove(service: string): void;
}

export function servicesIn(db: Database): Services {
  const find = db.prepare(`select 1 from proven_service where key = :key`);
  const add = db.prepare(`insert into proven_service (key) values (:key) on conflict do nothing`);
  return {
    isProven: (service) => find.get({ key: keyOf(service) }) !== undefined,
    prove: (service) => void add.run({ key: keyOf(service) }),
  };
}

/** A hash, as in the keys of calls: an address may hold what should not be in the ledger. */
function keyOf(service: string): Buffer {
  return hash('sha256', service, 'buffer');
}
