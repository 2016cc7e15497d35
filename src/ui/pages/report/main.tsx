import { render } from 'preact';
import type { ReportData } from '../../report/report-data.ts';
import type { RowsQuery } from '../../workbench/api.ts';
import { answerFrom } from '../parts/api.ts';
import { openLocalRows } from './local-rows.ts';
import { Report } from './report.tsx';
import '../parts/style/style.css';

const container = document.querySelector('#page');
const data = JSON.parse(document.querySelector('#report-data')?.textContent ?? '') as ReportData;
const local = openLocalRows(data);
answerFrom((path, { query = {}, body }) => {
  if (path === 'rows' || path === 'facets') return local[path](body as RowsQuery);
  return path === 'row' ? local.row(Number(query.number)) : undefined;
});
if (container) render(<Report data={data} />, container);
