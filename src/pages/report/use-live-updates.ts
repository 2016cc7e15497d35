import { useEffect, useState } from 'preact/hooks';
import type { ReportData } from '../../report/data/report-data.ts';
import type { EmbeddedReport } from './embedded-report.ts';

/** State of the connection to the live server; `none` for a page that was opened as a file. */
export type Connection = 'none' | 'live' | 'ended' | 'lost';

export interface LiveReport {
  readonly data: ReportData | null;
  readonly connection: Connection;
}

/** Gives the embedded report, and on a live page each newer one that the server sends. */
export function useLiveUpdates({ data: first, isLive }: EmbeddedReport): LiveReport {
  const [report, setReport] = useState<LiveReport>({
    data: first,
    connection: isLive ? 'live' : 'none',
  });
  useEffect(() => {
    if (!isLive) return undefined;
    const source = new EventSource('events');
    const update = (connection: Connection) => (event: MessageEvent<string>) =>
      setReport({ data: JSON.parse(event.data) as ReportData, connection });
    source.addEventListener('report', update('live'));
    source.addEventListener('end', (event) => {
      source.close();
      update('ended')(event);
    });
    // The browser reconnects by itself; the next update sets the connection to live again.
    source.addEventListener('error', () =>
      setReport((shown) => ({ ...shown, connection: 'lost' as const })),
    );
    return () => source.close();
  }, [isLive]);
  return report;
}
