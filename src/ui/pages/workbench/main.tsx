import { render } from 'preact';
import { App } from './app.tsx';
import './style/workbench.css';

const container = document.querySelector('#page');
if (container) render(<App />, container);
