import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openLog } from '../../runtime/log/log.ts';
import { listenForSignals } from '../run/interruption.ts';
import { type Kept, type KeptLedger, keepLedger, whileKept } from './keep-ledger.ts';

/** Does what a command other than a run does with the ledger of a job, which is kept meanwhile. */
export async function withKeptLedger<Result>(
  job: Pick<ResolvedJob, 'name' | 'ledger' | 'ledgerCare'>,
  purpose: string,
  work: (kept: KeptLedger | undefined) => Result | Promise<Result>,
  signal?: AbortSignal,
): Promise<Kept<Result>> {
  if (!job.ledgerCare.snapshot) return { result: await work(undefined), trouble: undefined };
  const log = openLog({ format: 'text', level: 'warn' });
  const say = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  const stopping = signal ?? listenForSignals(() => {}).signal;
  const kept = await keepLedger(job, { log, say, signal: stopping, purpose });
  return await whileKept(kept, async () => await work(kept));
}

/** A command that has done its work, and whose ledger could not be stored, ends with that. */
export function refuseUnstored({ trouble }: Pick<Kept<unknown>, 'trouble'>): void {
  if (trouble) throw trouble;
}
