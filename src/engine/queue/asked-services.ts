import { type Call, callText } from '../../core/contract/call.ts';
import type { Takes } from '../../core/rules/next-candidate.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { callKey, type KeyedCall } from '../ledger/calls/call-key.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import {
  identityForIds,
  providerOf,
  type Service,
  serviceIdentity,
} from '../providers/providers.ts';
import type { SpendTerms } from './count-spend.ts';

/** Plain data, because it may go to another thread. */
export interface QueueService extends Service {
  readonly name: string;
  /** It has a name of its own. */
  readonly isDescribed: boolean;
  readonly reuse: ReuseTerms;
  /** Undefined for sample data and plans, which are not charged. */
  readonly spend?: SpendTerms | undefined;
}

export interface AskedService extends QueueService {
  /** Among the services of the job. */
  readonly index: number;
  readonly identity: string;
}

export interface AskedCall extends KeyedCall {
  readonly serviceIndex: number;
}

export type AskedServices = ReturnType<typeof createAskedServices>;

/** The services of a job, in the order in which they are asked. */
export function createAskedServices(
  ledger: Pick<Ledger, 'services' | 'calls'>,
  given: readonly QueueService[],
  /** A plan works on a scratch ledger. */
  past: Pick<Ledger, 'calls'> = ledger,
) {
  const found = new Set<string>();
  const list = given.map(
    (service, index): AskedService => ({
      ...service,
      index,
      identity: serviceIdentity(service),
    }),
  );
  const byId = new Map<number, AskedService>();
  const at = (index: number): AskedService => {
    const service = list[index];
    if (!service) throw new Error(`the job has no service ${index}`);
    return service;
  };
  // An id in a list belongs to one service, so no other is asked for it.
  const idsAt = identityForIds(given);
  return {
    list,
    at,
    idsAt,
    takes: list.map(
      (service): Takes =>
        (kind) =>
          providerOf(service).takes(kind) && (kind !== 'id' || service.identity === idsAt),
    ),
    /** Null if the ledger does not know it yet. */
    idOf: (index: number) => ledger.services.find(at(index)) ?? null,
    hasEverFound({ identity }: AskedService): boolean {
      if (!found.has(identity) && past.calls.hasEverFound(identity)) found.add(identity);
      return found.has(identity);
    },
    keyed(call: Call, index: number): AskedCall {
      const text = callText(call);
      return { key: callKey(at(index).identity, text), text, serviceIndex: index };
    },
    /** Calls without a service are older than services, so their job has one. */
    ofCall({ serviceId }: { readonly serviceId: number | null }): AskedService {
      if (serviceId === null || list.length === 1) return at(0);
      let service = byId.get(serviceId);
      if (!service) {
        const stored = ledger.services.get(serviceId);
        const identity = stored && serviceIdentity(stored);
        service = list.find((one) => one.identity === identity) ?? at(0);
        byId.set(serviceId, service);
      }
      return service;
    },
  };
}
