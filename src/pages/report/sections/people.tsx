import type { PeopleInsight } from '../../../report/data/insight-data.ts';
import { Bars, othersNote } from '../../parts/charts/bars.tsx';
import { Section } from '../../parts/section.tsx';
import { counted } from '../../parts/text/format.ts';
import { channelName } from '../../parts/text/labels.ts';

export function People({ people }: { readonly people: PeopleInsight }) {
  const { total, seniorities, departments, channels } = people;
  if (total === 0) return null;
  return (
    <Section
      id="people"
      title={`Who the ${counted(total, 'person is', 'people are')}`}
      lead="By the searches that found them: whom two searches found counts for both."
    >
      <div class="grid three">
        <Bars
          title="Seniority"
          entries={seniorities.entries}
          whole={total}
          note={othersNote(seniorities)}
        />
        <Bars
          title="Department"
          entries={departments.entries}
          whole={total}
          note={othersNote(departments)}
        />
        <Bars
          title="Can be reached by"
          entries={channels.map((entry) => ({ ...entry, name: channelName(entry.name) }))}
          whole={total}
          note="The service says only that a channel exists."
        />
      </div>
    </Section>
  );
}
