import { Changes } from '../parts/changes/changes.tsx';
import type { EmbeddedReport } from './embedded-report.ts';
import { Header } from './header.tsx';
import { RowTable } from './rows/row-table.tsx';
import { Attention } from './sections/attention.tsx';
import { Companies } from './sections/companies.tsx';
import { Coverage } from './sections/coverage.tsx';
import { Drift } from './sections/drift.tsx';
import { Files } from './sections/files.tsx';
import { LatestAnswers } from './sections/latest-answers.tsx';
import { Mismatches } from './sections/mismatches.tsx';
import { Outcomes } from './sections/outcomes.tsx';
import { People } from './sections/people.tsx';
import { Rejects } from './sections/rejects.tsx';
import { Service } from './sections/service.tsx';
import { Summary } from './sections/summary.tsx';
import { useLiveUpdates } from './use-live-updates.ts';

/** The whole page. It shows a report that was written to a file, or a run that is still going on. */
export function App(embedded: EmbeddedReport) {
  const { data, connection } = useLiveUpdates(embedded);
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
        {insight && (
          <RowTable sample={insight.sample} totals={data.rows} reasons={insight.reasons} />
        )}
        {!insight && <LatestAnswers data={data} />}
        <Files data={data} isLive={embedded.isLive} />
        {insight?.changes && <Changes changes={insight.changes} />}
        {insight && <Outcomes insight={insight} />}
        {insight && <Rejects insight={insight} />}
        {insight && <Companies insight={insight} />}
        {insight?.people && <People people={insight.people} />}
        {insight && <Mismatches insight={insight} />}
        {insight && <Coverage insight={insight} />}
        {insight && <Drift insight={insight} />}
        <Service data={data} />
      </main>
      <footer>
        Made by Dossier {data.version} from its ledger. Companies and people in this page are as the
        service answered them.
      </footer>
    </>
  );
}
