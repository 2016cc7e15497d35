import { render } from 'preact';
import type { ReportData } from '../../report/report-data.ts';
import type { RowsQuery } from '../../workbench/api.ts';
import { answerFrom } from '../parts/api.ts';
import { localRow, openLocalTable } from './local-rows.ts';
import { Report } from './report.tsx';
import '../parts/style/style.css';

const container = document.querySelector('#page');
const data = JSON.parse(document.querySelector('#report-data')?.textContent ?? '') as ReportData;
const rows = openLocalTable(data.table);
const people = data.peopleTable && openLocalTable(data.peopleTable);
// An error thrown here is shown like an error of the server.
answerFrom(async (path, { query = {}, body }) => {
  const asked = body as RowsQuery;
  if (path === 'rows' || path === 'facets')
    return (asked.table && people ? people : rows)[path](asked);
  return path === 'row' ? localRow(data, Number(query.number)) : undefined;
});
if (container) render(<Report data={data} />, container);
