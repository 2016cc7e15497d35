import type { SecretAddress } from '../../../job/read-address.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import type { OnCall } from '../../../oncall/on-call.ts';
import { withoutSecrets } from '../../../runtime/log/known-secrets.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { packageVersion } from '../../../runtime/package-path.ts';

/** Opens what a job tells people and monitors. An address that cannot be used is warned about: it stops no run. */
export async function openJobOnCall(job: ResolvedJob, log: Log): Promise<OnCall | undefined> {
  const reveal = (address: SecretAddress | undefined, to: string) => {
    try {
      return address?.reveal(process.env);
    } catch (error) {
      const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
      log.warn({ to, reason }, 'oncall.unavailable');
      return undefined;
    }
  };
  const { notify } = job.onCall;
  const address = reveal(notify?.address, 'notify');
  const heartbeat = reveal(job.onCall.heartbeat, 'heartbeat');
  if (!address && !heartbeat) return undefined;
  const { openOnCall } = await import('../../../oncall/on-call.ts');
  const told = address && { address, on: notify?.on ?? [] };
  return openOnCall(told, heartbeat, packageVersion(), log);
}
