import type { ChangeOp } from '../../records/changes/change.ts';

/** Changes of one kind on a terminal, so that the kinds stay in sight together. */
export const shownOfOp = 10;

/** What to show, as the command line says. */
export interface WantedChanges {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly since: number | undefined;
  readonly op: readonly ChangeOp[] | undefined;
  readonly limit: number | undefined;
  readonly json: boolean;
}
