import type { ResolvedJob } from '../../job/resolve-job.ts';
import type { ReportData } from '../../report/report-data.ts';
import { openLiveView } from '../watch/live-view.ts';
import { openBrowser } from '../watch/open-browser.ts';

/** What `run --open` shows: the live page of a run that takes a while, the report of any other. */
export interface RunView extends AsyncDisposable {
  onReport(data: ReportData): void;
  /** Opens the report that was written, unless a browser shows the live page. */
  showReport(path: string | undefined): Promise<void>;
}

interface ViewWaits {
  /** A run that is over before has only its report opened, which stays when we are gone. */
  readonly announceMs: number;
  /** How long a browser that was started gets to ask for the live page. */
  readonly seenMs: number;
}

const defaultWaits: ViewWaits = { announceMs: 5_000, seenMs: 5_000 };

/** `announce` is told the address of the live page, once, if it comes to that. */
export async function openRunView(
  job: Pick<ResolvedJob, 'name' | 'ledger' | 'reference'>,
  announce: (url: string) => void,
  { announceMs, seenMs }: ViewWaits = defaultWaits,
): Promise<RunView> {
  const view = await openLiveView(job);
  let waitsUntil = 0;
  const timer = setTimeout(() => {
    if (!view) return;
    announce(view.url);
    if (openBrowser(view.url)) waitsUntil = performance.now() + seenMs;
  }, announceMs);
  timer.unref();
  const settle = async () => {
    clearTimeout(timer);
    while (!view?.wasSeen() && performance.now() < waitsUntil) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    onReport: (data) => view?.close(data),
    async showReport(path) {
      await settle();
      if (path !== undefined && !view?.wasSeen()) openBrowser(path);
    },
    async [Symbol.asyncDispose]() {
      await settle();
      await view?.[Symbol.asyncDispose]();
    },
  };
}
