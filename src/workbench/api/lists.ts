import type { RunFacts } from '../../sinks/manifest.ts';

/** A job of the folder, or a list that no job reads. */
export interface ListCard {
  /** The path of the job file, or of the list, from the folder. */
  readonly path: string;
  readonly kind: 'job' | 'list';
  /** The name of the list's file; null where it is not known or is standard input. */
  readonly list: string | null;
  /** Of the list; null where it is not there. */
  readonly bytes: number | null;
  /** What is wrong with the job file; null where it can be run. */
  readonly problem: string | null;
  readonly isRunning: boolean;
  /** The newest run; null where it has not run. */
  readonly last: RunFacts | null;
  /** What fits next. */
  readonly verb: CardVerb;
}

/** `mend` where rows were rejected; `mend` and `run again` where the whole list has run. */
export type CardVerb = 'watch' | 'go on' | 'mend' | 'run again' | 'read';

/** The job that a request has led to, such as the draft for a list that was dropped. */
export interface MadeJob {
  readonly job: string;
}
