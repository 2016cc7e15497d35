import { render } from 'preact';
import type { ReportData } from '../../report/data/report-data.ts';
import { App } from './app.tsx';
import './style/report.css';

const container = document.querySelector('#page');
const data = JSON.parse(document.querySelector('#report-data')?.textContent ?? '') as ReportData;
if (container) render(<App data={data} />, container);
