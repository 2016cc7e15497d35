import { Attention } from './attention.tsx';
import { Companies } from './companies.tsx';
import { Coverage } from './coverage.tsx';
import { Drift } from './drift.tsx';
import type { Embedded } from './embedded.ts';
import { Files } from './files.tsx';
import { Header } from './header.tsx';
import { LatestAnswers } from './latest-answers.tsx';
import { Mismatches } from './mismatches.tsx';
import { Outcomes } from './outcomes.tsx';
import { People } from './people.tsx';
import { Rejects } from './rejects.tsx';
import { RowTable } from './row-table.tsx';
import { Service } from './service.tsx';
import { Summary } from './summary.tsx';
import { useNews } from './use-news.ts';

/** One page, two lives: a report that was written, or a run that goes on. */
export function App(embedded: Embedded) {
  const { data, connection } = useNews(embedded);
  if (!data) {
    const text = embedded.isLive ? 'Waiting for a run to begin …' : 'This page holds no report.';
    return (
      <main>
        <p class="empty waiting">{text}</p>
      </main>
    );
  }
  const { insight } = data;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the report
      </a>
      <Header data={data} connection={connection} />
      <main id="main">
        <div class="fold">
          <Summary data={data} />
          <Attention data={data} />
        </div>
        {insight && <Outcomes insight={insight} />}
        {insight && <Rejects insight={insight} />}
        <Service data={data} />
        {insight && <Companies insight={insight} />}
        {insight?.people && <People people={insight.people} />}
        {insight && <Mismatches insight={insight} />}
        {insight && <Coverage insight={insight} />}
        {insight && <Drift insight={insight} />}
        {insight && <RowTable sample={insight.sample} reasons={insight.reasons} />}
        {!insight && <LatestAnswers data={data} />}
        <Files data={data} isLive={embedded.isLive} />
      </main>
      <footer>
        Made by Dossier {data.version} from its ledger. Companies and people in this page are as the
        service answered them.
      </footer>
    </>
  );
}
