import type { ReportData } from '../../report/data/report-data.ts';
import { Brand } from '../parts/brand.tsx';
import { counted, moment } from '../parts/text/format.ts';
import { ThemeButton } from '../parts/theme-button.tsx';

export function Header({ data }: { readonly data: ReportData }) {
  const { run, insight } = data;
  const state = shownState(data);
  return (
    <header>
      {run.isSample && (
        <p class="sample" role="note">
          <b>Sample data.</b> The companies and people in this page are made up; no real service has
          answered.
        </p>
      )}
      {run.held.length > 0 && (
        <div class="sample held" role="alert">
          <b>Held.</b> This result was not published, because it is not what was expected:
          <ul>
            {run.held.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      {run.stopped && <Unfinished data={data} />}
      <div class="masthead">
        <Brand />
        <ThemeButton />
      </div>
      <div class="title">
        <h1>{run.job}</h1>
        <p class={`state state-${state}`}>{stateNames[state]}</p>
      </div>
      <p class="facts">
        Run {run.id} over <b title={run.input}>{fileName(run.input)}</b>, started{' '}
        {moment(run.startedAt)}
      </p>
      <nav aria-label="Sections">
        <a href="#rows">Rows</a>
        {insight.reasons.length > 0 && <a href="#rejects">Rows without a company</a>}
        {insight.changes && <a href="#changes">Changes</a>}
        {data.files.length > 0 && <a href="#files">Files</a>}
        {insight.people && insight.people.total > 0 && <a href="#people">People</a>}
        {insight.companies > 0 && <a href="#coverage">Fields</a>}
      </nav>
    </header>
  );
}

/** What the reader of an unfinished result has to know before its figures. */
function Unfinished({ data: { run, rows, stale = 0 } }: { readonly data: ReportData }) {
  const { why = '', isAside = false } = run.stopped ?? {};
  return (
    <div class="sample held" role="alert">
      <b>Not finished.</b> The run has stopped before its end{why === '' ? '.' : `: ${why}.`}
      <ul>
        {rows.open > 0 && <li>{counted(rows.open, 'row is', 'rows are')} still open.</li>}
        {stale > 0 && (
          <li>
            {counted(stale, 'row shows an older answer', 'rows show older answers')}, as newer ones
            were not asked for.
          </li>
        )}
        {isAside && <li>The files are put aside; the last complete result stands as it was.</li>}
        <li>
          To go on, run the same command again: what was answered is kept, and not paid twice.
        </li>
      </ul>
    </div>
  );
}

const stateNames = {
  finished: 'Finished',
  troubled: 'Finished with problems',
  interrupted: 'Not finished',
};

/** A finished run with a problem has a state of its own, so that green means nothing is left to do. */
function shownState({ run, attention }: ReportData): keyof typeof stateNames {
  const hasProblem = attention.some(({ level }) => level === 'problem');
  return run.state === 'finished' && hasProblem ? 'troubled' : run.state;
}

/** `/data/leads.csv → leads.csv` */
function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) || path;
}
