import { describeList } from '../../overview/lists/describe-list.ts';
import { inspectSample } from '../../overview/lists/inspect-list.ts';
import type { LookedAt } from './look-at-list.ts';

export type LookingVerbs = ReturnType<typeof serve>;

/** Looks at the beginning of a list, in a thread of its own. */
export function serve() {
  return {
    inspect: ({ sample, named }: LookedAt['inspect']) => inspectSample(sample, named),
    describe: ({ job, sample, columns }: LookedAt['describe']) =>
      describeList(job, sample, columns),
  };
}
