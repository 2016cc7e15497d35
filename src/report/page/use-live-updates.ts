import { useEffect, useState } from 'preact/hooks';
import type { ReportData } from '../report-data.ts';
import type { Embedded } from './embedded-report.ts';

/** `none` for a page that was opened as a file. */
export type Connection = 'none' | 'live' | 'ended' | 'lost';

export interface News {
  readonly data: ReportData | null;
  readonly connection: Connection;
}

/** The facts of the page, replaced by newer ones as long as somebody sends them. */
export function useNews({ data: first, isLive }: Embedded): News {
  const [news, setNews] = useState<News>({ data: first, connection: isLive ? 'live' : 'none' });
  useEffect(() => {
    if (!isLive) return undefined;
    const source = new EventSource('events');
    const take = (connection: Connection) => (event: MessageEvent<string>) =>
      setNews({ data: JSON.parse(event.data) as ReportData, connection });
    source.addEventListener('news', take('live'));
    source.addEventListener('end', (event) => {
      source.close();
      take('ended')(event);
    });
    // The browser tries again by itself, and the next news shows that it has found somebody.
    source.addEventListener('error', () =>
      setNews((known) => ({ ...known, connection: 'lost' as const })),
    );
    return () => source.close();
  }, [isLive]);
  return news;
}
