import { render } from 'preact';
import { App } from './app.tsx';
import { readEmbeddedReport } from './embedded-report.ts';
import './style/report.css';

const container = document.querySelector('#page');
if (container) render(<App {...readEmbeddedReport(document)} />, container);
