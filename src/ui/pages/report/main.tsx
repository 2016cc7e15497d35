import { render } from 'preact';
import type { ReportData } from '../../report/report-data.ts';
import { answerFrom } from '../workbench/shell/api.ts';
import { openLocalRows } from './local-rows.ts';
import { Report } from './report.tsx';
import './style/report.css';

const container = document.querySelector('#page');
const data = JSON.parse(document.querySelector('#report-data')?.textContent ?? '') as ReportData;
const local = openLocalRows(data);
answerFrom((path, { query = {}, body }) => {
  const { search, facets, open, number } = query;
  const narrowed = { search: search?.toString(), facets: JSON.parse(String(facets ?? '{}')) };
  switch (path) {
    case 'rows': {
      const { sort, descending, offset, limit } = query;
      return local.rows({
        ...narrowed,
        ...{ sort: sort?.toString(), descending: descending === 'true' },
        ...{ offset: Number(offset), limit: Number(limit) },
        columns: (body as { columns: string[] }).columns,
      });
    }
    case 'facets':
      return local.facets(narrowed.search, narrowed.facets, JSON.parse(String(open ?? '[]')));
    case 'row':
      return local.row(Number(number));
    default:
      return { otherDestinations: [] };
  }
});
if (container) render(<Report data={data} />, container);
