import { counted, formatBytes, formatNumber } from '../../../core/values/format.ts';
import type { Insight, ReasonFacts, ReportData } from '../../report/report-data.ts';
import type { ReportTable } from '../../report/report-rows.ts';
import { reasonName, statusNames } from '../../words/labels.ts';
import type { JobState } from '../../workbench/api/answers.ts';
import { Changes } from '../parts/changes.tsx';
import { percent } from '../parts/format.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import {
  Brand,
  Breakable,
  Fact,
  InlineCode,
  LookupTable,
  outcomeShares,
  PlainTable,
  Section,
  Shares,
  Time,
} from '../parts/text.tsx';
import { cellText } from '../workbench/result/cell-text.ts';
import { RunHead } from '../workbench/result/run-head.tsx';

/** The run view as a file, without a server. */
export function Report({ data }: { data: ReportData }) {
  const { insight, job, run, list, sampleData } = data;
  const state = stateOf(data);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the report
      </a>
      <header>
        <div class="band row">
          <Brand />
          <p class="list-name text" title={job}>
            <bdi>{job}</bdi>
          </p>
          <nav aria-label="Sections">
            {insight.reasons.length > 0 && <a href="#reasons">Rows without a company</a>}
            {data.lookups.length > 0 && <a href="#lookups">Found by</a>}
            {insight.changes && <a href="#changes">Changes</a>}
            <a href="#rows">Rows</a>
            {data.peopleTable && <a href="#people">People</a>}
            {data.files.length > 0 && <a href="#files">Files</a>}
            {insight.companies > 0 && <a href="#coverage">Fields</a>}
          </nav>
        </div>
        {sampleData && (
          <p class="sample-line" role="note">
            <b>Sample data</b>: the companies and people on this page are made up.
          </p>
        )}
      </header>
      <main id="main">
        <section aria-label="Result">
          <RunHead
            job={job}
            watched={{ value: state, problem: undefined, reload: () => {} }}
            isReadOnly
          />
          <p class="note">
            Run {run} of{' '}
            <b title={list}>
              <bdi>{list.split(/[/\\]/).at(-1) || list}</bdi>
            </b>
            , started <Time at={data.startedAt} />.
          </p>
          <Shares parts={outcomeShares(data.rows)} />
          <Attention {...data} />
        </section>
        <Reasons {...insight} />
        {data.lookups.length > 0 && (
          <Section
            id="lookups"
            title="What found the companies"
            lead="Rows by the kind of identifier that was looked up. A row that one kind does not find is looked up by the next."
          >
            <LookupTable lookups={data.lookups} />
          </Section>
        )}
        {insight.changes && <Changes {...insight.changes} />}
        <Section id="rows" title="Rows" lead={<RowsElsewhere {...data} />}>
          <Rows label="Rows" {...data.table} />
        </Section>
        {data.peopleTable && (
          <Section id="people" title="People" lead={<PeopleElsewhere {...data} />}>
            <Rows label="People" {...data.peopleTable} />
          </Section>
        )}
        <Files {...data} />
        <Coverage {...insight} />
      </main>
      <footer class="note">
        Written by Dossier {data.version}.
        {data.registerSources?.map(
          ({ title, licence, extractedAt }) =>
            licence && (
              <span key={title}>
                {' '}
                {licence}
                {extractedAt && ` of ${extractedAt}`}.
              </span>
            ),
        )}
      </footer>
    </>
  );
}

function stateOf(data: ReportData) {
  const { endedAt, startedAt, complete } = data;
  const run = {
    ...data,
    ...({ state: complete ? 'finished' : 'stopped', phase: null } as const),
    seconds: endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000,
    exitCode: null,
    reason: null,
    startedBy: null,
    host: null,
    acceptedAt: null,
    // They need attention, with advice.
    warnings: null,
    folder: null,
    unchanged: null,
    destinations: null,
    prunedAt: null,
    possiblyCharged: [],
    missMoney: [],
  };
  const still = { isRunning: false, isStarting: false, isStopping: false, inFlight: 0 };
  return { ...still, run, secondsLeft: null, ended: null } satisfies JobState;
}

function Attention({ attention }: ReportData) {
  if (attention.length === 0) return <p class="muted">Nothing needs attention.</p>;
  return (
    <div class="card">
      <h2>What needs attention</h2>
      <ul class="entries">
        {attention.map(({ level, title, advice, section }) => (
          <li key={title}>
            <h3>
              <span class={level === 'problem' ? 'tag failed' : 'tag invalid'}>
                {level === 'problem' ? 'To do' : 'Note'}
              </span>{' '}
              {section ? <a href={`#${section}`}>{title}</a> : title}
            </h3>
            <p class="note">
              <InlineCode text={advice} />
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function RowsElsewhere({ rows, table, insight }: ReportData) {
  if (table.rows.length >= rows.total) return null;
  return (
    <>
      This page shows {formatNumber(table.rows.length)} of {formatNumber(rows.total)} rows: the
      first rows of each outcome. <code>dossier ui</code> and <b>{insight.rowsFile}</b> have all
      rows.
    </>
  );
}

function PeopleElsewhere({ people, peopleTable, insight }: ReportData) {
  const shown = peopleTable?.rows.length ?? 0;
  if (shown >= people) return null;
  return (
    <>
      This page shows the first {formatNumber(shown)} of {formatNumber(people)} people;{' '}
      <b>{insight.peopleFile}</b> has all of them.
    </>
  );
}

function Rows({ label, columns, rows }: ReportTable & { label: string }) {
  return (
    <PlainTable
      label={label}
      heads={['Row', ...columns.map((column) => column.label)]}
      rows={rows.map((row) => [
        formatNumber(row.number),
        ...columns.map((column, at) =>
          column.name === 'status' ? (
            <StatusMark {...row} />
          ) : (
            cellText(row.cells[at] ?? null, column)
          ),
        ),
      ])}
    />
  );
}

const shownAtOnce = 6;

function Reasons({ reasons }: Insight) {
  if (reasons.length === 0) return null;
  const rows = reasons.reduce((sum, reason) => sum + reason.rows, 0);
  const rest = reasons.slice(shownAtOnce);
  return (
    <Section
      id="reasons"
      title={`Why ${counted(rows, 'row has', 'rows have')} no company`}
      lead="The rejects file, or the Rejects sheet, has these rows with your own columns. Correct them there, then run dossier fix: it looks up only these rows."
    >
      <div class="cards">{reasons.slice(0, shownAtOnce).map(reasonCard)}</div>
      {rest.length > 0 && (
        <details class="more">
          <summary>{counted(rest.length, 'more reason')}</summary>
          <div class="cards">{rest.map(reasonCard)}</div>
        </details>
      )}
    </Section>
  );
}

const reasonCard = ({ status, reason, rows, message, fix, examples }: ReasonFacts) => (
  <div key={`${status} ${reason}`} class="card reason">
    <h3>
      {reasonName(reason)}{' '}
      {reason !== status && <span class={`tag ${status}`}>{statusNames[status]}</span>}
      <small>{counted(rows, 'row')}</small>
    </h3>
    <p>{message}</p>
    {fix && (
      <p>
        <b>What to do:</b> <InlineCode text={fix} />
      </p>
    )}
    <ul class="entries" aria-label="Examples">
      {examples.map((example) => (
        <li key={example.row}>
          <small>row {formatNumber(example.row)}</small>{' '}
          {example.identifier ? (
            <q>
              <Breakable text={example.identifier} />
            </q>
          ) : (
            <Breakable text={example.rowText || 'blank'} />
          )}
          {[example.identifier && example.rowText, example.message].map(
            (text) =>
              text && (
                <small key={text}>
                  <Breakable text={text} />
                </small>
              ),
          )}
        </li>
      ))}
    </ul>
  </div>
);

function Files({ files }: ReportData) {
  if (files.length === 0) return null;
  return (
    <Section id="files" title="Files" lead="In the same folder as this page, with a manifest.json.">
      <PlainTable
        label="Files"
        heads={['File', 'Records', 'Size']}
        rows={files.map(({ name, rows, bytes: size }) => [
          <a key={name} href={name}>
            {name}
          </a>,
          formatNumber(rows),
          formatBytes(size),
        ])}
      />
    </Section>
  );
}

function Coverage({ coverage, companies }: Insight) {
  if (companies === 0) return null;
  return (
    <Section
      id="coverage"
      title="Field completeness"
      lead={`How often each field is filled, in ${counted(companies, 'row')} with a company.`}
    >
      <div class="card">
        {coverage.map(({ name, fields }, index) => (
          <details key={name} open={index === 0}>
            <summary>
              <h3>{name}</h3> <small>{counted(fields.length, 'field')}</small>
            </summary>
            <dl class="facts columns">
              {fields.map((field) => (
                <Fact key={field.name} name={field.name} about={field.about}>
                  {percent(field.filled, companies)} <small>{formatNumber(field.filled)}</small>
                </Fact>
              ))}
            </dl>
          </details>
        ))}
      </div>
    </Section>
  );
}
