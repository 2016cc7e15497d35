import { type ComponentChildren, Fragment } from 'preact';
import { formatMinute, formatNumber } from '../../../core/values/format.ts';
import type { ReportData } from '../../report/report-data.ts';
import { statusNames } from '../../words/labels.ts';
import { localTime, percent } from './format.ts';

export function Brand() {
  return (
    <p class="brand row muted">
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M3 6.5A1.5 1.5 0 0 1 4.5 5h5l2 2.5h8A1.5 1.5 0 0 1 21 9v9.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18.5z" />
        <path class="mark" d="M7 15.2l2.6 2.3L16.5 11" />
      </svg>
      Dossier
    </p>
  );
}

const afterSign = /(?<=[/._?&=:@])/;

/**
 * Text of a list or service, which may be right-to-left. Allows line breaks inside addresses and
 * paths, which have no spaces.
 */
export function Breakable({ text }: { text: string }) {
  const parts = text.split(afterSign);
  return <bdi>{parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]))}</bdi>;
}

/** In a new tab, which gets neither our address nor a way back to this page. */
export function Outside(link: { href: string; tabIndex?: number; children: ComponentChildren }) {
  return <a {...link} target="_blank" rel="noopener noreferrer" />;
}

export function InlineCode({ text }: { text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={String(index)}>{part}</code> : part))}
    </>
  );
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatMinute(at)}>
      {localTime(at)}
    </time>
  );
}

export function Fact(props: { name: string; about?: string; children: ComponentChildren }) {
  const { name, about, children } = props;
  if (children === null || children === '') return null;
  return (
    <div>
      <dt title={about}>
        <Breakable text={name} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Section(props: {
  id: string;
  title: string;
  lead?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const { id, title, lead, children } = props;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead && <p class="lead muted">{lead}</p>}
      {children}
    </section>
  );
}

const numeric = [
  ...['Records', 'Size', 'Row', 'Rows', 'Spent'],
  ...['Tried', 'Found', 'Not found', 'Spent on the list', 'Of it for misses'],
];
/** Makes a scrolling area reachable by the keyboard. */
const focusable = { tabIndex: 0 };

export function PlainTable(props: {
  label: string;
  heads: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}) {
  const { label, heads, rows } = props;
  const classOf = (at: number) => (numeric.includes(heads[at] ?? '') ? 'number' : undefined);
  return (
    <section class="scroll" {...focusable} aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={`${at}`} scope="col" class={classOf(at)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={`${row}`}>
              {cells.map((cell, at) => (
                <td key={`${at}`} class={classOf(at)} data-head={heads[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Which columns found the companies, and what it cost. */
export function LookupTable({ lookups }: Pick<ReportData, 'lookups'>) {
  const isPaid = lookups.some(({ spent }) => spent !== '');
  return (
    <div class="runs">
      <PlainTable
        label="What found the companies"
        heads={[
          ...['Looked up by', 'Found in column', 'Tried', 'Found', 'Not found'],
          ...(isPaid ? ['Spent on the list', 'Of it for misses'] : []),
        ]}
        rows={lookups.map(({ kind, columns, tried, found, missed, spent, spentOnMisses }) => [
          kind,
          columns.length > 0 && (
            <span>
              {columns.map(({ name, rows }, at) => (
                <Fragment key={name}>
                  {at > 0 && ', '}
                  <bdi>{name}</bdi> {columns.length > 1 && formatNumber(rows)}
                </Fragment>
              ))}
            </span>
          ),
          ...[tried, found, missed].map((some) => some !== null && formatNumber(some)),
          ...(isPaid ? [spent, spentOnMisses] : []),
        ])}
      />
    </div>
  );
}

export function outcomeShares(rows: Readonly<Record<keyof typeof statusNames, number>>) {
  return Object.entries(statusNames).map(([tone, name]) => ({
    name,
    tone,
    rows: rows[tone as keyof typeof statusNames],
  }));
}

/** Screen readers get the list, not the bar. */
export function Shares({ parts }: { parts: { name: string; tone: string; rows: number }[] }) {
  const whole = parts.reduce((sum, { rows }) => sum + rows, 0);
  const shown = parts.filter(({ rows }) => rows > 0);
  return (
    <>
      <div class="bar" aria-hidden="true">
        {shown.map(({ name, tone, rows }) => (
          <span key={name} class={tone} style={{ flexGrow: String(rows) }} />
        ))}
      </div>
      <ul class="legend row">
        {shown.map(({ name, tone, rows }) => (
          <li key={name}>
            <span class={`dot ${tone}`} aria-hidden="true" />
            {name} <b>{formatNumber(rows)}</b> <small>{percent(rows, whole)}</small>
          </li>
        ))}
      </ul>
    </>
  );
}
