import { render } from 'preact';
import type { ReportData } from '../../report/report-data.ts';
import { Report } from './report.tsx';
import '../parts/style/style.css';

const container = document.querySelector('#page');
const data = JSON.parse(document.querySelector('#report-data')?.textContent ?? '') as ReportData;
if (container) render(<Report data={data} />, container);
