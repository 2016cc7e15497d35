import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log/log.ts';
import { siblingModule } from '../runtime/thread/sibling-module.ts';
import { composeMessage } from './compose-message.ts';
import { type Delivery, deliver, mostWaitMs } from './deliver.ts';
import { type EndedRun, eventOf, isHeldByOther, type RunEvent } from './ended-run.ts';

/** Whom a run tells how it goes. */
export interface OnCallTargets {
  readonly notify: { readonly address: URL; readonly on: readonly RunEvent[] } | undefined;
  readonly heartbeat: URL | undefined;
}

interface OnCallParts {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Tells people and monitors how a run goes. Nothing here throws, nor changes how the run ends. */
export interface OnCall {
  /** The run has taken its job. Nobody waits for this to arrive. */
  begin(): void;
  /** The run has ended. Waits until all is delivered, a few seconds at most. */
  end(ended: EndedRun): Promise<void>;
  /** The process is about to be left, and nothing else may run in it: another process delivers. */
  endAtOnce(ended: EndedRun): void;
}

export function openOnCall(
  { notify, heartbeat }: OnCallTargets,
  { version, clock, log }: OnCallParts,
): OnCall {
  const startedAt = clock.wallMs();
  const userAgent = { 'user-agent': `dossier/${version}` };
  const over = new AbortController();
  const ending = new AbortController();
  let begun: Promise<void> = Promise.resolve();

  const send = async (delivery: Delivery, enough?: AbortSignal) => {
    const reason = await deliver(delivery, over.signal, enough);
    if (reason !== undefined) log.warn({ to: delivery.to, reason }, 'oncall.lost');
  };
  const beat = (address: URL, ending: string): Delivery => ({
    to: 'heartbeat',
    address: withEnding(address, ending).href,
    request: { method: 'GET', headers: userAgent },
  });
  const deliveriesOf = (ended: EndedRun): Delivery[] => {
    const deliveries: Delivery[] = [];
    const event = eventOf(ended.exitCode);
    // The process that holds the job tells the monitor how it ends.
    if (heartbeat && !isHeldByOther(ended)) {
      deliveries.push(beat(heartbeat, event === 'finished' ? '' : String(ended.exitCode)));
    }
    if (notify?.on.includes(event)) {
      const teller = { host: hostname(), version, startedAt, endedAt: clock.wallMs() };
      const message = composeMessage(ended, teller);
      const headers = { ...userAgent, 'content-type': 'application/json' };
      deliveries.push({
        ...{ to: 'notify', address: notify.address.href },
        request: { method: 'POST', headers, body: JSON.stringify(message) },
        plainBody: JSON.stringify({ text: message.text }),
      });
    }
    return deliveries;
  };
  return {
    begin() {
      if (heartbeat) begun = send(beat(heartbeat, 'start'), ending.signal);
    },
    async end(ended) {
      const timer = setTimeout(() => over.abort(), mostWaitMs);
      // Further attempts at the start would take the time that the end needs.
      ending.abort();
      // The start first: a monitor takes the last word as the state.
      const endings = deliveriesOf(ended).map(async (delivery) => {
        if (delivery.to === 'heartbeat') await begun;
        await send(delivery);
      });
      await Promise.all(endings);
      clearTimeout(timer);
    },
    endAtOnce(ended) {
      const path = fileURLToPath(siblingModule(import.meta.url, 'deliver-now'));
      // The addresses go through a pipe: a command line is seen by every user of the machine.
      spawnSync(process.execPath, [path], {
        input: JSON.stringify(deliveriesOf(ended)),
        timeout: mostWaitMs,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    },
  };
}

/** `https://host/id?key=1` and `start` → `https://host/id/start?key=1` */
function withEnding(address: URL, ending: string): URL {
  if (ending === '') return address;
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${ending}`;
  return url;
}
