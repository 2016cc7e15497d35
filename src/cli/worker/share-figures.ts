import type { ShareFigures } from '../../metrics/share-metrics.ts';
import type { ShareFacts } from '../../share/view/share-facts.ts';

/** The figures of a share that metrics tell; undefined where Redis does not tell them. */
export function shareFigures(facts: ShareFacts | undefined): ShareFigures | undefined {
  if (!facts) return undefined;
  const { calls, members, workers, rate } = facts;
  const runs = members.filter(({ kind }) => kind === 'run').length;
  return { calls, runs, workers, rate };
}
