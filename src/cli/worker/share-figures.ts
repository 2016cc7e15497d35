import type { ShareFigures } from '../../metrics/share-metrics.ts';
import { type ShareFacts, workersIn } from '../../share/view/share-facts.ts';

/** The figures of a share that metrics tell. */
export function shareFigures(facts: ShareFacts): ShareFigures {
  const { calls, members, rate } = facts;
  const runs = members.filter(({ kind }) => kind === 'run').length;
  return { calls, runs, workers: workersIn(facts), rate };
}
