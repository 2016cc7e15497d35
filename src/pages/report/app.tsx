import type { ReportData } from '../../report/data/report-data.ts';
import { Changes } from '../parts/changes/changes.tsx';
import { Header } from './header.tsx';
import { RowTable } from './rows/row-table.tsx';
import { Attention } from './sections/attention.tsx';
import { Coverage } from './sections/coverage.tsx';
import { Files } from './sections/files.tsx';
import { People } from './sections/people.tsx';
import { Rejects } from './sections/rejects.tsx';
import { Summary } from './sections/summary.tsx';

export function App({ data }: { readonly data: ReportData }) {
  const { insight } = data;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the report
      </a>
      <Header data={data} />
      <main id="main">
        <div class="fold">
          <Summary data={data} />
          <Attention data={data} />
        </div>
        <RowTable sample={insight.sample} totals={data.rows} reasons={insight.reasons} />
        <Rejects insight={insight} />
        {insight.changes && <Changes changes={insight.changes} />}
        <Files data={data} />
        {insight.people && <People people={insight.people} />}
        <Coverage insight={insight} />
      </main>
      <footer>
        Made by Dossier {data.version} from its ledger. Companies and people in this page are as the
        service answered them.
      </footer>
    </>
  );
}
