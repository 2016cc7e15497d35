/*
 *   GET  api/outputs?job&run → RunOutputs
 *   GET  api/report?job&run  → leads to report.html of the run, as it was written, at an address of its own
 *   POST api/outputs?job     → writes the result to all its places again, as `dossier export` does
 *   POST api/accept?job      → publishes the result that is held, as `dossier export --accept` does
 */

/** The files of a run. */
export interface RunOutputs {
  /** Where they are; null where they were moved, replaced by a later run, or not written. */
  readonly folder: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly rows: number;
    readonly bytes: number;
  }[];
  readonly hasReport: boolean;
  /** Where else the job brings its result, which is not looked at: folders and addresses. */
  readonly otherPlaces: readonly string[];
}
