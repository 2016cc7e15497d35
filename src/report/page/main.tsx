import { render } from 'preact';
import { App } from './app.tsx';
import { readEmbedded } from './embedded-report.ts';
import './style.css';

const place = document.querySelector('#page');
if (place) render(<App {...readEmbedded(document)} />, place);
