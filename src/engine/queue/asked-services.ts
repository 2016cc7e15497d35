import { type Call, callText } from '../../core/contract/call.ts';
import type { Takes } from '../../core/rules/next-candidate.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { memo } from '../../core/values/memo.ts';
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
  /** It has a name in services.yaml. */
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

/** The services of a job. One service is a list of one. */
export interface AskedServices {
  /** In the order in which they are asked. */
  readonly list: readonly AskedService[];
  /**
   * Several: a fresh hit of any of them comes before any call. With one, its candidates are asked in
   * order, so a later candidate never decides before an earlier one.
   */
  readonly isWaterfall: boolean;
  /** The identity of the service to which ids in a list belong; no other is asked for them. */
  readonly idsAt: string | undefined;
  /** What each service takes. */
  readonly takes: readonly Takes[];
  at(index: number): AskedService;
  /** Null if the ledger does not know the service yet. */
  findId(service: AskedService): number | null;
  /** Call inside a transaction. */
  idOf(service: AskedService): number;
  keyed(call: Call, index: number): AskedCall;
  /** A call without a service is older than services, so its job had one. */
  ofCall(call: { readonly serviceId: number | null }): AskedService;
}

export function createAskedServices(
  ledger: Pick<Ledger, 'services'>,
  given: readonly QueueService[],
): AskedServices {
  const list = given.map(
    (service, index): AskedService => ({
      ...service,
      index,
      identity: serviceIdentity(service),
    }),
  );
  const ids = new Map<number, number>();
  const at = (index: number): AskedService => {
    const service = list[index];
    if (!service) throw new Error(`the job has no service ${index}`);
    return service;
  };
  const findId = (service: AskedService) => {
    const id = ids.get(service.index) ?? ledger.services.find(service);
    if (id !== undefined) ids.set(service.index, id);
    return id ?? null;
  };
  const idsAt = identityForIds(given);
  const byId = memo((serviceId: number) => {
    const stored = ledger.services.get(serviceId);
    const identity = stored && serviceIdentity(stored);
    return list.find((one) => one.identity === identity) ?? at(0);
  });
  return {
    list,
    isWaterfall: list.length > 1,
    at,
    idsAt,
    takes: list.map(
      (service): Takes =>
        (kind) =>
          providerOf(service).takes(kind) && (kind !== 'id' || service.identity === idsAt),
    ),
    findId,
    idOf: (service) => findId(service) ?? ledger.services.idOf(service),
    keyed(call, index) {
      const text = callText(call);
      return { key: callKey(at(index).identity, text), text, serviceIndex: index };
    },
    ofCall: ({ serviceId }) => (serviceId === null ? at(0) : byId(serviceId)),
  };
}
