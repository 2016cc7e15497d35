import { hostname } from 'node:os';
import { exits } from '../../core/errors/exit-codes.ts';
import { messageOf } from '../../core/errors.ts';
import { formatDuration } from '../../core/values/duration.ts';
import { counted, shorten } from '../../core/values/format.ts';
import { credentialsOf, withoutSecrets } from '../../core/values/known-secrets.ts';
import { asSentence, printable } from '../../core/values/printable.ts';
import type { HttpRequest } from '../../engine/providers/provider.ts';
import type { Log } from '../../platform/log.ts';
import { openSockets } from '../../platform/net/open-sockets.ts';
import { describeFailure } from '../../platform/outside-failures.ts';
import { retry } from '../../platform/retry.ts';
import { lagText } from '../../run/run-facts.ts';
import type { RunEnd } from '../../run/run-schemas.ts';
import { callsText, changesText, costText, outcomesText } from '../../run/run-words.ts';

/** The files are also complete if rows failed. */
export function eventOf(exitCode: number): 'finished' | 'failed' | 'expectation' {
  if (exitCode === exits.finished || exitCode === exits.rowsFailed) return 'finished';
  return exitCode === exits.held ? 'expectation' : 'failed';
}

/** Another process runs the job and reports its end, so this one sends no heartbeat. */
const busyReason = 'JOB_BUSY';
const mostWaitMs = 5_000;

/** Never throws and never changes the exit code. */
export function openOnCall(
  notify: { address: URL; on: readonly ReturnType<typeof eventOf>[] } | undefined,
  heartbeat: URL | undefined,
  version: string,
  log: Pick<Log, 'warn'>,
) {
  const over = new AbortController();
  let begun: Promise<void> = Promise.resolve();

  const send = async (delivery: Delivery, attempts?: number) => {
    const reason = await deliver(delivery, over.signal, attempts);
    if (reason !== undefined) log.warn({ to: delivery.to, reason }, 'oncall.lost');
  };
  /** `https://host/id?key=1` and `start` → `https://host/id/start?key=1` */
  const beat = (address: URL, what: string): Delivery => {
    const url = new URL(address);
    if (what !== '') url.pathname = `${url.pathname.replace(/\/+$/, '')}/${what}`;
    return {
      to: 'heartbeat',
      address: url,
      request: { method: 'GET', headers: agent(version) },
    };
  };
  const deliveriesOf = (ended: RunEnd): Delivery[] => {
    const deliveries: Delivery[] = [];
    const event = eventOf(ended.exitCode);
    if (heartbeat && ended.reason !== busyReason) {
      deliveries.push(beat(heartbeat, event === 'finished' ? '' : String(ended.exitCode)));
    }
    if (notify?.on.includes(event)) {
      const message = composeMessage(ended, hostname(), version);
      deliveries.push(notification(notify.address, message));
    }
    return deliveries;
  };
  return {
    begin() {
      // Not retried, to leave time for the end message of a short run.
      if (heartbeat) begun = send(beat(heartbeat, 'start'), 1);
    },
    async end(ended: RunEnd) {
      const timer = setTimeout(() => over.abort(), mostWaitMs);
      // A monitor takes the last message as the state, so the start message goes first.
      const endings = deliveriesOf(ended).map(async (delivery) => {
        if (delivery.to === 'heartbeat') await begun;
        await send(delivery);
      });
      await Promise.all(endings);
      clearTimeout(timer);
    },
  };
}

export type OnCall = ReturnType<typeof openOnCall>;

export function composeMessage(ended: RunEnd, host: string, version: string) {
  const { job, run, exitCode, reason, remedy, rows, calls, changes, folder } = ended;
  const { files: _, unchanged: _same, destinations: _all, notes: _notes, ...facts } = ended;
  const event = eventOf(exitCode);
  const message = ended.message === null ? null : withoutSecrets(ended.message);
  const [line = ''] = (message ?? '').split('\n');
  const name = run === null ? (job ?? '') : `${job} (${run})`;
  const end = reason === null ? `exit ${exitCode}` : `exit ${exitCode}, ${reason}`;
  const sample = ended.sampleData ? ', with SAMPLE DATA' : '';
  const spent = costText(ended, calls ? calls.made + calls.failed : ended.requests);
  const lags = (ended.destinations ?? []).map(
    (one) => one.behind > 0 && `${one.address}: ${lagText(one)}.`,
  );
  const lines = [
    `Dossier: ${name} ${words[event]} (${end}) after ${formatDuration((ended.seconds ?? 0) * 1_000)} on ${host}${sample}`,
    asSentence(line),
    line === '' ? '' : (remedy ?? ''),
    [
      rows && `${counted(rows.total, 'row')}: ${outcomesText(rows)}.`,
      calls && `Calls: ${callsText(calls)}.`,
      spent && `Spent ${spent}.`,
    ]
      .filter(Boolean)
      .join(' '),
    changes?.since ? `Changes since ${changes.since}: ${changesText(changes)}.` : '',
    ...lags,
    folder === null ? '' : `Files: ${folder}`,
    ...(ended.warnings ?? []).map(({ message: text }) => `Warning: ${text}`),
  ];
  return {
    text: chatText(lines.filter(Boolean).join('\n')),
    event,
    ...facts,
    message,
    host,
    version,
  };
}

const words = {
  finished: 'finished',
  failed: 'did not finish',
  expectation: 'finished, but not as expected',
};

/** Well below the smallest limit of a chat service, 4,096 characters. */
const longestText = 1_500;

/** A message may quote the service, and `<!channel>` or `@channel` would notify everyone. */
function chatText(lines: string) {
  const compared = printable(lines.replaceAll('>=', '≥').replaceAll('<=', '≤'));
  const text = compared.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('@', '(at)');
  return shorten(text, longestText);
}

interface Delivery {
  /** Used in logs, because the address is a secret. */
  readonly to: 'notify' | 'heartbeat';
  readonly address: URL;
  readonly request: Pick<HttpRequest, 'method' | 'headers' | 'body'>;
  /** Some chats accept only `text`. */
  readonly plainBody?: string;
}

const agent = (version: string) => ({ 'user-agent': `dossier/${version}` });

export function notification(
  address: URL,
  message: { readonly text: string; readonly version: string },
): Delivery {
  const headers = { ...agent(message.version), 'content-type': 'application/json' };
  return {
    to: 'notify',
    address,
    request: { method: 'POST', headers, body: JSON.stringify(message) },
    plainBody: JSON.stringify({ text: message.text }),
  };
}

const timeoutMs = 2_000;
const pauseMs = 300;

export async function deliver(
  { address, request: first, plainBody }: Delivery,
  signal: AbortSignal,
  attempts = 3,
): Promise<string | undefined> {
  let request = first;
  let isRefused = false;
  const send = async () => {
    const status = await reachOut(address, request, signal);
    if (status >= 200 && status < 300) return;
    if (status !== 408 && status !== 429 && status < 500) {
      // The same request would be refused again, so try the plain body once.
      isRefused = plainBody === undefined || request.body === plainBody;
      request = { ...request, ...(plainBody !== undefined && { body: plainBody }) };
    }
    throw new Error(`HTTP ${status}`);
  };
  const canRetry = (_: unknown, attempt: number) =>
    attempt < attempts && !isRefused && !signal.aborted;
  try {
    await retry(send, { canRetry, waitMs: pauseMs });
    return undefined;
  } catch (error) {
    return withoutSecrets(messageOf(error));
  }
}

/** The address is a secret, so redirects are not followed and errors do not name it. */
async function reachOut(address: URL, request: Delivery['request'], signal: AbortSignal) {
  const { origin, pathname, search } = address;
  const sockets = openSockets(address, { concurrency: 1, timeoutMs });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const { statusCode, body } = await sockets.request({
      ...request,
      origin,
      path: pathname + search,
      headers: { ...request.headers, ...credentialsOf(address) },
      signal: inTime,
    });
    await body.dump();
    return statusCode;
  } catch (error) {
    if (inTime.aborted) throw new Error('no answer in time');
    throw new Error(describeFailure(error), { cause: error });
  } finally {
    await sockets.destroy();
  }
}
