import { DossierError, errorCatalog } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { RedisFinding } from '../../share/examine-redis.ts';
import type { Check } from './check-report.ts';

const parts = {
  reached: 'share',
  version: 'share-version',
  eviction: 'share-eviction',
  rights: 'share-rights',
  tls: 'share-tls',
} as const satisfies Record<RedisFinding['about'], Check['part']>;

/** Looks at the Redis that runs share; says nothing where none is named. */
export async function* checkShare({
  share,
  leavesShareOut,
}: ResolvedJob['service']): AsyncGenerator<Check> {
  if (leavesShareOut) {
    const finding = 'nothing is shared: sample data is answered in the process of a run';
    yield { part: 'share', state: 'skipped', finding };
  }
  if (!share) return;
  try {
    const address = share.address.reveal(process.env);
    if (!address) {
      yield { part: 'share', state: 'ok', finding: 'the variable is empty, so nothing is shared' };
      return;
    }
    // Loaded here, so that a check of a job that shares nothing loads no client of Redis.
    const { examineRedis } = await import('../../share/examine-redis.ts');
    for (const found of await examineRedis(address, share)) yield asCheck(found);
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    yield asCheck({ about: 'reached', finding: error.message, error });
  }
}

function asCheck({ about, finding, advice, error }: RedisFinding): Check {
  const part = parts[about];
  if (error) {
    const { code } = error;
    return { part, state: 'failed', finding, code, remedy: errorCatalog[code].remedy };
  }
  return advice === undefined
    ? { part, state: 'ok', finding }
    : { part, state: 'warning', finding, remedy: advice };
}
