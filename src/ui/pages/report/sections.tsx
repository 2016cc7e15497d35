import type { Insight, PeopleInsight, ReasonFacts, ReportData } from '../../report/report-data.ts';
import { Section } from '../parts/section.tsx';
import { Breakable } from '../parts/text/breakable.tsx';
import { bytes, count, counted, percent } from '../parts/text/format.ts';
import { InlineCode } from '../parts/text/inline-code.tsx';
import { channelName, reasonName, statusNames } from '../parts/text/labels.ts';

/** A few reasons explain most rows of a list; the others are folded away. */
const shownAtOnce = 6;

/** Why rows have no company, each reason with examples and the bad cell. */
export function Reasons({ reasons }: Pick<Insight, 'reasons'>) {
  if (reasons.length === 0) return null;
  const rows = reasons.reduce((sum, reason) => sum + reason.rows, 0);
  const rest = reasons.slice(shownAtOnce);
  return (
    <Section
      id="reasons"
      title={`Why ${counted(rows, 'row has', 'rows have')} no company`}
      lead="The rejects file, or the sheet Rejects, has these rows in your own columns. Fix them there, then run dossier fix: it looks up these rows alone."
    >
      <div class="grid reasons">{reasons.slice(0, shownAtOnce).map(reasonCard)}</div>
      {rest.length > 0 && (
        <details class="more">
          <summary>{counted(rest.length, 'more reason', 'more reasons')}</summary>
          <div class="grid reasons">{rest.map(reasonCard)}</div>
        </details>
      )}
    </Section>
  );
}

const reasonCard = ({ status, reason, rows, message, fix, examples }: ReasonFacts) => (
  <div key={`${status} ${reason}`} class="card reason">
    <h3>
      {reasonName(reason)}{' '}
      {reason !== status && <span class={`tag tag-${status}`}>{statusNames[status]}</span>}
      <span class="figures">{counted(rows, 'row', 'rows')}</span>
    </h3>
    <p>{message}</p>
    {fix && (
      <p>
        <b>Do:</b> <InlineCode text={fix} />
      </p>
    )}
    <ul class="entries" aria-label="Examples">
      {examples.map((example) => (
        <li key={example.row}>
          <small>row {count(example.row)}</small>{' '}
          <q>
            <Breakable text={example.cell || example.input || 'blank'} />
          </q>
          {[example.cell && example.input, example.message].map(
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
    <Section id="files" title="Files" lead="Beside this page, with a manifest.json.">
      <div class="card scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="number">
                Records
              </th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <tr key={file.name}>
                <th scope="row">
                  <a href={file.name}>{file.name}</a>
                </th>
                <td class="number">{count(file.rows)}</td>
                <td class="number">{bytes(file.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

export function People({ people }: { readonly people: PeopleInsight }) {
  const { total, seniorities, departments, channels } = people;
  if (total === 0) return null;
  const groups = [
    { name: 'Seniority', bars: seniorities },
    { name: 'Department', bars: departments },
    {
      name: 'Can be reached by',
      bars: channels.map((entry) => ({ ...entry, name: channelName(entry.name) })),
    },
  ].filter(({ bars }) => bars.length > 0);
  return (
    <Section
      id="people"
      title={counted(total, 'person', 'people')}
      lead="A person found by two searches counts for both. The service says that a channel exists, not what it is."
    >
      <div class="grid three">
        {groups.map(({ name, bars }) => (
          <div key={name} class="card">
            <h3>{name}</h3>
            <Bars bars={bars} whole={total} />
          </div>
        ))}
      </div>
    </Section>
  );
}

export function Coverage({ insight: { coverage, companies } }: { readonly insight: Insight }) {
  if (companies === 0) return null;
  const fields = coverage.flatMap((group) => group.fields);
  const blank = fields.filter(({ filled }) => filled === 0).length;
  const blankWords = `${counted(blank, 'field is', 'fields are')} empty in all of them.`;
  return (
    <Section
      id="coverage"
      title="How complete the fields are"
      lead={`In ${counted(companies, 'row', 'rows')} with a company. ${blank > 0 ? blankWords : ''}`}
    >
      <div class="card folds">
        {coverage.map((group, index) => (
          <details key={group.name} open={index === 0}>
            <summary>
              <h3>{group.name}</h3> <small>{counted(group.fields.length, 'field', 'fields')}</small>
            </summary>
            <Bars
              bars={group.fields.map(({ name, filled }) => ({ name, count: filled }))}
              whole={companies}
            />
          </details>
        ))}
      </div>
    </Section>
  );
}

interface BarsProps {
  readonly bars: PeopleInsight['channels'];
  /** The number that is 100%. */
  readonly whole: number;
}

/** A bar chart as a list: a screen reader gets names and counts as text. */
function Bars({ bars, whole }: BarsProps) {
  return (
    <ol class="bars">
      {bars.map(({ name, count: some }) => (
        <li key={name}>
          <span class="name" title={name}>
            {name}
          </span>
          <span class="figures">
            <b>{count(some)}</b> <small>{percent(some, whole)}</small>
          </span>
          <span class="track" aria-hidden="true">
            {some > 0 && <span style={{ width: `${(some / whole) * 100}%` }} />}
          </span>
        </li>
      ))}
    </ol>
  );
}
