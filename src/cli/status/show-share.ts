import { DossierError } from '../../errors.ts';
import { printable } from '../../runtime/printable.ts';
import { placeOf } from '../../share/redis/redis-trouble.ts';
import { openShareView } from '../../share/view/open-share-view.ts';
import { openSharedService } from '../worker/shared-service.ts';
import { shareJson } from './share-json.ts';
import { shareText } from './share-text.ts';

interface ShareWanted {
  readonly job: string | undefined;
  /** What was given to --share: nothing, an address, or the job. */
  readonly share: string;
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
  readonly json: boolean;
}

/** Shows what runs and workers of a service and key share. */
export async function showShare(wanted: ShareWanted): Promise<void> {
  const { job, share } = sortOut(wanted);
  const { url, keyFile } = wanted;
  const shared = openSharedService(job, { share, url, keyFile });
  await using view = await openShareView({ ...shared, service: shared.url });
  const redis = placeOf(shared.address).replace('Redis at ', '');
  const seen = shareJson({ service: shared.url, redis }, await view.read());
  process.stdout.write(wanted.json ? `${JSON.stringify(seen)}\n` : shareText(seen, process.stdout));
}

/** `--share job.yaml` is typed by whoever has the address in the job. */
function sortOut({ job, share }: ShareWanted) {
  if (share === '') return { job, share: undefined };
  if (/^rediss?:/i.test(share)) return { job, share };
  if (job === undefined) return { job: share, share: undefined };
  const message = `--share takes the address of Redis, or nothing, not ${printable(share)}`;
  throw new DossierError('USAGE', message);
}
