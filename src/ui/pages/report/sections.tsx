import type { Insight, PeopleInsight, ReasonFacts, ReportData } from '../../report/report-data.ts';
import { bytes, count, counted, percent } from '../parts/format.ts';
import { channelName, reasonName, statusNames } from '../parts/labels.ts';
import { Breakable, InlineCode, Section } from '../parts/text.tsx';

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
              {['Records', 'Size'].map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
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

export function People({ people }: { people: PeopleInsight }) {
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
      <div class="cards">
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

export function Coverage({ insight: { coverage, companies } }: { insight: Insight }) {
  if (companies === 0) return null;
  const fields = coverage.flatMap((group) => group.fields);
  const blank = fields.filter(({ filled }) => filled === 0).length;
  const blankWords = `${counted(blank, 'field is', 'fields are')} empty in all of them.`;
  return (
    <Section
      id="coverage"
      title="How complete the fields are"
      lead={`In ${counted(companies, 'row')} with a company. ${blank > 0 ? blankWords : ''}`}
    >
      <div class="card folds">
        {coverage.map((group, index) => (
          <details key={group.name} open={index === 0}>
            <summary>
              <h3>{group.name}</h3> <small>{counted(group.fields.length, 'field')}</small>
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

/** A bar chart as a list: a screen reader gets names and counts as text. `whole` is 100%. */
function Bars({ bars, whole }: { bars: PeopleInsight['channels']; whole: number }) {
  return (
    <ol class="bars">
      {bars.map(({ name, count: some }) => (
        <li key={name}>
          <span class="text" title={name}>
            {name}
          </span>
          <span>
            <b>{count(some)}</b> <small>{percent(some, whole)}</small>
          </span>
          <progress value={some} max={whole} aria-hidden="true" />
        </li>
      ))}
    </ol>
  );
}
