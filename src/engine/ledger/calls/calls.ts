import { hash } from 'node:crypto';
import type { Service } from '../../providers/providers.ts';
import type { Statements } from '../statements.ts';
import { aliasesIn } from './aliases.ts';
import { answersIn } from './answers.ts';
import type { Bodies } from './bodies.ts';
import type { KeyedCall } from './call-key.ts';
import { completedCallsIn } from './completed-calls.ts';
import { leasesIn } from './leases.ts';
import { openCallsIn } from './open-calls.ts';
import type { Services } from './services.ts';

interface CallOfService extends KeyedCall {
  /** The place of its service in the list that is given with it; 0 if absent. */
  readonly serviceIndex?: number;
}

export function callsIn(statements: Statements, bodies: Bodies, services: Services) {
  const { change, value, inPortions } = statements;
  const insertNew = inPortions(
    '(?, ?, ?)',
    (rows) => `
      insert into call (key, text, service_id) values ${rows}
      on conflict (key) do update set service_id = excluded.service_id where service_id is null`,
  );
  const findAll = inPortions<{ id: number }>(
    '(?, ?)',
    (rows) => `
      select c.id from (values ${rows}) wanted cross join call c on c.key = wanted.column2
      order by wanted.column1`,
  );
  const forgetNewest = change(`update call set answer_id = null where answer_id = ?`);
  const answers = answersIn(statements, bodies);
  const { forgetKeys, forgetGathered, ...aliases } = aliasesIn(statements);
  return {
    ...answers,
    ...aliases,
    ...openCallsIn(statements),
    ...leasesIn(statements),
    ...completedCallsIn(statements, answers.setNewest),
    ...foundServicesIn(statements),
    /** Adds the calls that are new. Call inside a transaction. */
    idsOf(asked: readonly Service[], calls: readonly CallOfService[]): number[] {
      const serviceIds: number[] = [];
      const idAt = (index: number) =>
        (serviceIds[index] ??= services.idOf(asked[index] as Service));
      insertNew(calls.map(({ key, text, serviceIndex = 0 }) => [key, text, idAt(serviceIndex)]));
      return findAll(calls.map(({ key }, index) => [index, key])).map(({ id }) => id);
    },
    find: value<number | undefined, [key: Buffer]>(`select id from call where key = ?`),
    discardAnswer(answerId: number) {
      for (const forget of [forgetNewest, forgetKeys, forgetGathered]) forget(answerId);
    },
  };
}

function foundServicesIn({ change, get }: Statements) {
  const found = get<object>(`select 1 from proven_service where key = ?`);
  const noteFound = change(`insert into proven_service (key) values (?) on conflict do nothing`);
  return {
    /**
     * The first hit proves that the URL of a service is right. From then on, an empty 404 counts as
     * a miss.
     */
    hasEverFound: (service: string) => found(serviceKey(service)) !== undefined,
    noteFound: (service: string) => void noteFound(serviceKey(service)),
  };
}

/** A hash, because an address may contain secrets. */
function serviceKey(service: string) {
  return hash('sha256', service, 'buffer');
}
