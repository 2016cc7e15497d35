import { counted, formatBytes, formatNumber } from '../../../core/runtime/format.ts';
import type { Insight, ReasonFacts, ReportData } from '../../report/report-data.ts';
import { percent } from '../parts/format.ts';
import { reasonName, statusNames } from '../parts/labels.ts';
import { Breakable, Fact, InlineCode, PlainTable, Section } from '../parts/text.tsx';

/** Six reasons explain most rows of a list. */
const shownAtOnce = 6;

export function Reasons({ reasons }: Pick<Insight, 'reasons'>) {
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
          <q>
            <Breakable text={example.identifier || example.rowText || 'blank'} />
          </q>
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

export function Files({ files }: Pick<ReportData, 'files'>) {
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

export function Coverage({ coverage, companies }: Pick<Insight, 'coverage' | 'companies'>) {
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
