import type { Followed } from '../../overview/follow/follow-job.ts';
import type { ReportData } from '../../report/data/report-data.ts';
import { openLiveView } from '../watch/live-view.ts';
import { openBrowser } from '../watch/open-browser.ts';

/** What `run --open` shows: the live page of a long run, or the report of a short one. */
export interface RunView extends AsyncDisposable {
  onReport(data: ReportData): void;
  /** Opens the written report, unless a browser has loaded the live page. */
  showReport(path: string | undefined): Promise<void>;
}

interface ViewTimeouts {
  /** The live page is announced after this time. A shorter run only opens its report. */
  readonly announceMs: number;
  /** How long to wait for a started browser to load the live page. */
  readonly seenMs: number;
}

const defaultTimeouts: ViewTimeouts = { announceMs: 5_000, seenMs: 5_000 };

/** Calls `announce` with the address of the live page, once, if the run takes long enough. */
export async function openRunView(
  job: Followed,
  announce: (url: string) => void,
  { announceMs, seenMs }: ViewTimeouts = defaultTimeouts,
): Promise<RunView> {
  const view = await openLiveView(job);
  let waitUntilMs = 0;
  const timer = setTimeout(() => {
    if (!view) return;
    announce(view.url);
    if (openBrowser(view.url)) waitUntilMs = performance.now() + seenMs;
  }, announceMs);
  timer.unref();
  const waitForBrowser = async () => {
    clearTimeout(timer);
    while (!view?.wasSeen() && performance.now() < waitUntilMs) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    onReport: (data) => view?.close(data),
    async showReport(path) {
      await waitForBrowser();
      if (path !== undefined && !view?.wasSeen()) openBrowser(path);
    },
    async [Symbol.asyncDispose]() {
      await waitForBrowser();
      await view?.[Symbol.asyncDispose]();
    },
  };
}
