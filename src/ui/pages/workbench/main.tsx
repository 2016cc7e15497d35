import { render } from 'preact';
import { App } from './app.tsx';
import '../parts/style/style.css';

const container = document.querySelector('#page');
if (container) render(<App />, container);
