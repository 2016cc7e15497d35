import { hostname } from 'node:os';
import { DossierError } from '../../errors.ts';
import type { SecretAddress } from '../../job/read-address.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type Delivery, deliver } from '../../oncall/on-call.ts';
import { packageVersion } from '../../runtime/package-path.ts';

const verbs = { finished: 'finishes', failed: 'fails', expectation: 'is held' } as const;

/** `finishes, fails or is held` */
function eitherOf(words: readonly string[]): string {
  const [last = '', ...others] = [...words].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
}

/** Says what would be told to whom. Nothing is sent, unless a test message is wanted. */
export async function describeNotify(
  { name, onCall }: ResolvedJob,
  { isTried }: { isTried: boolean },
): Promise<string> {
  const address = onCall.notify?.address.reveal(process.env);
  if (!address) return 'the variable is empty, so nobody is told';
  const when = `told when a run ${eitherOf((onCall.notify?.on ?? []).map((event) => verbs[event]))}`;
  if (!isTried) return `an address, ${when}; not called, --notify posts a test message`;
  const text = `Dossier: a test message of the job ${name}, from ${hostname()}. Nothing has happened.`;
  const version = packageVersion();
  const headers = { 'content-type': 'application/json', 'user-agent': `dossier/${version}` };
  const body = JSON.stringify({ text, event: 'test', job: name, host: hostname(), version });
  const delivery: Delivery = {
    to: 'notify',
    address: address.href,
    request: { method: 'POST', headers, body },
    plainBody: JSON.stringify({ text }),
  };
  const trouble = await deliver(delivery, new AbortController().signal);
  if (trouble !== undefined) {
    throw new DossierError('NOTIFY_LOST', `the test message did not arrive: ${trouble}`);
  }
  return `a test message has arrived; ${when}`;
}

/** A monitor would take a trial for the end of a run, so it is not called. */
export function describeHeartbeat(heartbeat: SecretAddress): string {
  if (!heartbeat.reveal(process.env)) return 'the variable is empty, so no monitor is told';
  return 'an address, asked at the start and the end of a run; not called';
}
