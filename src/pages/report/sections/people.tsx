import type { PeopleInsight, RankedName } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { count, counted, percent } from '../../parts/text/format.ts';
import { channelName } from '../../parts/text/labels.ts';

export function People({ people }: { readonly people: PeopleInsight }) {
  const { total, seniorities, departments, channels } = people;
  if (total === 0) return null;
  const reached = channels.map((entry) => ({ ...entry, name: channelName(entry.name) }));
  return (
    <Section
      id="people"
      title={`Who the ${counted(total, 'person is', 'people are')}`}
      lead="By the searches that found them: a person found by two searches counts for both. The service says only that a channel exists."
    >
      <div class="grid three">
        <Bars title="Seniority" entries={seniorities} whole={total} />
        <Bars title="Department" entries={departments} whole={total} />
        <Bars title="Can be reached by" entries={reached} whole={total} />
      </div>
    </Section>
  );
}

interface BarsProps {
  readonly title: string;
  readonly entries: readonly RankedName[];
  /** The number that is 100%. */
  readonly whole: number;
}

/** A bar chart as a list: a screen reader gets names and counts as text. */
function Bars({ title, entries, whole }: BarsProps) {
  return (
    <div class="card">
      <h3>{title}</h3>
      <ol class="bars">
        {entries.map((entry) => (
          <li key={entry.name}>
            <span class="name" title={entry.name}>
              {entry.name}
            </span>
            <span class="figures">
              <b>{count(entry.count)}</b> <small>{percent(entry.count, whole)}</small>
            </span>
            <span class="track" aria-hidden="true">
              <span style={{ width: `${(entry.count / whole) * 100}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
