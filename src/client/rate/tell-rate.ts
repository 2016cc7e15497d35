import type { OnEvent } from '../client-event.ts';
import type { Allowed } from './rate-state.ts';

/** A rate that recovers moves all the time; people hear of it in steps. */
const worthTelling = 0.05;

/** Tells when the rate has become another one, once for all calls. */
export function tellRate(ceiling: number | 'none', onEvent: OnEvent): (allowed: Allowed) => void {
  const full = ceiling === 'none' ? Number.POSITIVE_INFINITY : ceiling;
  let told: Allowed = { perSecond: full, reason: 'ceiling' };
  return (allowed) => {
    if (allowed === told) return;
    const { perSecond, reason } = allowed;
    const isFull = reason === 'ceiling';
    if (isFull && told.reason === 'ceiling') return;
    const change = Math.abs(perSecond / told.perSecond - 1);
    if (!isFull && reason === told.reason && change < worthTelling) return;
    const type = perSecond < told.perSecond ? 'rate.lowered' : 'rate.raised';
    told = allowed;
    onEvent({ type, perSecond, ceiling, reason });
  };
}
