import { randomBytes } from 'node:crypto';

/**
 * Addresses for single reports. A report is a file that anyone may have changed, and its script can lead
 * the browser elsewhere: so its address must not hold the secret that opens the workbench.
 */
export interface ReportPasses {
  /** Gives the id under which a file can be read for a short while: long enough to load it again. */
  issue(path: string): string;
  /** Undefined where there is no such id, or its time is over. */
  pathOf(id: string): string | undefined;
}

const validMs = 10 * 60_000;

export function openReportPasses(clock: () => number = Date.now): ReportPasses {
  const passes = new Map<string, { readonly path: string; readonly until: number }>();
  const forgetOld = () => {
    for (const [id, { until }] of passes) if (until <= clock()) passes.delete(id);
  };
  return {
    issue(path) {
      forgetOld();
      const id = randomBytes(16).toString('base64url');
      passes.set(id, { path, until: clock() + validMs });
      return id;
    },
    pathOf(id) {
      forgetOld();
      return passes.get(id)?.path;
    },
  };
}

/** Where the report of a pass is served, outside the path of the workbench. */
export const reportPath = '/report/';
