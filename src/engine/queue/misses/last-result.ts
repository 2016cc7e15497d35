import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';

/** The result that a result is compared with. Its companies are known. */
export function lastPublished({ runs }: Ledger, run: Run) {
  // Sample data is compared with any result, so it never replaces a real one unnoticed.
  return runs.comparable(run).find(({ isSample }) => !isSample || run.isSample);
}

export function sinceLastResult(ledger: Ledger, run: Run, otherwise = 0) {
  const { finishedAt, lastAnswerId } = lastPublished(ledger, run) ?? {};
  const publishedAt = finishedAt ?? otherwise;
  const publishedId =
    lastAnswerId ?? (publishedAt > 0 ? ledger.runs.answerBefore(publishedAt) : undefined) ?? 0;
  return { runId: run.id, publishedId, publishedAt };
}

export function isHeldForVanished({ held }: Pick<Run, 'held'>): boolean {
  return held?.some(({ expectation }) => expectation === 'vanished') ?? false;
}
