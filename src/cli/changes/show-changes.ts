import type { ResolvedJob } from '../../job/resolved-job.ts';
import { changeLines } from '../../overview/changes/change-json.ts';
import { chooseRuns, openToCompare } from '../../overview/changes/choose-runs.ts';
import { readUnlessPruned, refusePrunedSince } from '../../queue/published/choose-run.ts';
import { compareRuns } from '../../records/changes/compare-runs.ts';
import { howToCompare } from '../../run/write-outputs.ts';
import { printable } from '../../runtime/printable.ts';
import { openChangeTally } from '../../sinks/tally/change-tally.ts';
import { openToLook } from '../snapshot.ts';
import { sampleDataText } from '../terminal/text.ts';
import { writeLines } from '../terminal/write-lines.ts';
import { changesText } from './changes-text.ts';
import { shownOfOp, type WantedChanges } from './wanted-changes.ts';

/** Compares two runs of a job and prints what differs. */
export async function showChanges(
  job: ResolvedJob,
  { from, to, since, op: ops = [], limit, json }: WantedChanges,
): Promise<void> {
  await using look = await openToLook(job);
  using ledger = openToCompare({ ...job, ledger: look.path });
  const chosen = chooseRuns(ledger, job.name, { from, to, sinceMs: since }, Date.now());
  const { base, run, note } = chosen;
  const notes = [...sampleDataText(run.service), ...(note === undefined ? [] : [note])];
  for (const text of notes) process.stderr.write(`${printable(text)}\n`);
  if (!base) return;
  const changes = compareRuns(ledger, { base, run }, howToCompare(job));
  const tally = openChangeTally(limit ?? shownOfOp);
  await readUnlessPruned(ledger, [base, run], async () => {
    if (json) await writeLines(process.stdout, changeLines(changes, { ops, limit }));
    else for (const change of changes) tally.add(change);
  });
  refusePrunedSince(ledger, [base, run]);
  if (json) return;
  process.stdout.write(changesText({ base, run, tally: tally.facts(), ops }, process.stdout));
}
