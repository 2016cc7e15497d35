import type { ResolvedJob } from '../../job/resolved-job.ts';
import { placeOf } from '../../share/redis/redis-trouble.ts';
import { unsharedText } from '../terminal/sample-data-text.ts';

/** Says where a run shares its rate and answers, or that sample data shares nothing; else nothing. */
export function sharingText(service: ResolvedJob['service']): string[] {
  const address = addressOf(service);
  return [
    ...unsharedText(service),
    ...(address ? [`Rate and answers are shared through ${placeOf(address)}.`] : []),
  ];
}

/** An address that cannot be used is told when the first call needs it. */
function addressOf({ share }: ResolvedJob['service']): URL | undefined {
  try {
    return share?.address.reveal(process.env);
  } catch {
    return undefined;
  }
}
