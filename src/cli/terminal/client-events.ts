import type { ClientEvent, RateChanged } from '../../client/client-event.ts';
import type { RateReason } from '../../client/rate/rate-state.ts';
import type { Log } from '../../runtime/log/log.ts';

/** Logs what happens while the service is called. */
export function logClientEvent(log: Log, event: ClientEvent): void {
  switch (event.type) {
    case 'attempt.made':
      log.debug(withoutType(event), event.type);
      return;
    case 'retry.scheduled':
      log.info(withoutType(event), event.type);
      return;
    case 'service.throttled':
      log.warn(
        {
          waitSeconds: Math.ceil(event.waitMs / 1_000),
          until: new Date(event.untilMs).toISOString(),
        },
        event.type,
      );
      return;
    case 'gate.opened':
      log.info(event.type);
      return;
    case 'rate.lowered':
    case 'rate.raised':
      logRate(log, event);
  }
}

function logRate(log: Log, { type, perSecond, ceiling, reason }: RateChanged): void {
  const facts = { rate: rateNumber(perSecond), ceiling };
  if (type === 'rate.lowered') log.warn({ ...facts, why: loweredBy[reason] }, type);
  else if (reason === 'ceiling') log.info(facts, type);
  else log.debug(facts, type);
}

/** Why the rate is lower than the one that was asked for. */
const loweredBy: Readonly<Record<RateReason, string>> = {
  ceiling: 'the job has a lower rate',
  'other job': 'another run asks for a lower rate of the same key',
  throttled: 'the service has throttled calls',
  policy: 'the service says that it allows no more',
};

/** `8.47 → 8.5`, `0.0167 → 0.02`; without a limit it is none. */
export function rateNumber(perSecond: number): number | 'none' {
  if (perSecond === Number.POSITIVE_INFINITY) return 'none';
  return Number(perSecond.toFixed(perSecond < 1 ? 2 : 1));
}

function withoutType({ type: _, ...facts }: ClientEvent): object {
  return facts;
}
