import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { ReportShare } from '../../report/data/share-data.ts';
import type { ShareView } from '../../share/view/open-share-view.ts';
import type { ShareFacts } from '../../share/view/share-facts.ts';

/** Looks at what a run shares while it goes on. It never throws: no run or page depends on it. */
export interface ShareLook extends AsyncDisposable {
  /** Undefined where Redis does not tell in time. What was read within the last second is not read again. */
  read(): Promise<ShareFacts | undefined>;
}

const freshMs = 1_000;
/** Nobody waits longer for a look. */
const patienceMs = 1_000;

/** Undefined where the service is not shared. */
export function lookAtShare({ share, url, key }: ResolvedJob['service']): ShareLook | undefined {
  if (!share) return undefined;
  let opening: Promise<ShareView | undefined> | undefined;
  let reading: Promise<ShareFacts | undefined> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;

  const open = async () => {
    const address = share.address.reveal(process.env);
    if (!address) return undefined;
    const { openShareView } = await import('../../share/view/open-share-view.ts');
    const revealed = readKey(key, process.env)?.reveal() ?? '';
    return await openShareView({ address, service: url, key: revealed });
  };
  const look = async () => {
    opening ??= open();
    try {
      return await (await opening)?.read();
    } catch {
      // A Redis that could not be reached is tried again with the next look.
      const failed = await opening.catch(() => undefined);
      if (!failed) opening = undefined;
      return undefined;
    }
  };
  return {
    async read() {
      const nowMs = performance.now();
      if (!reading || nowMs - readAtMs >= freshMs) {
        readAtMs = nowMs;
        reading = look();
      }
      return await atMost(reading);
    },
    async [Symbol.asyncDispose]() {
      const view = await opening?.catch(() => undefined);
      await view?.[Symbol.asyncDispose]();
    },
  };
}

async function atMost<Result>(work: Promise<Result>): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), patienceMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the page shows of a share. */
export function reportShare(facts: ShareFacts): ReportShare {
  const { calls, members, workers, rate, throttledUntil, seenAt } = facts;
  const { allowed, used } = rate;
  return {
    calls: { waiting: calls.waiting + calls.delayed, active: calls.active },
    workers,
    members: members.map(({ id, kind, job, machine, version, startedAt, concurrency }) => ({
      ...{ id, kind, job: job ?? '', machine, version, since: startedAt, concurrency },
    })),
    rate: allowed === undefined || used === undefined ? null : { used, allowed },
    loweredBy: rate.loweredBy ?? null,
    throttledMs: throttledUntil === undefined ? 0 : throttledUntil - seenAt,
  };
}
