import type { Insight, Ranking } from '../../data/insight-data.ts';
import { Bars, othersNote } from '../charts/bars.tsx';
import { count } from '../text/format.ts';
import { countryName } from '../text/labels.ts';
import { Section } from './section.tsx';

export function Companies({ insight }: { readonly insight: Insight }) {
  const { companies, headquarters, industries, sizes } = insight;
  if (companies === 0) return null;
  const panels: readonly { title: string; ranking: Ranking }[] = [
    { title: 'Headquarters', ranking: headquarters },
    { title: 'Industry', ranking: industries },
    { title: 'Size', ranking: sizes },
  ];
  return (
    <Section
      id="companies"
      title="Where the companies are, and what they do"
      lead={`Shares are of ${count(companies)} rows with a company; a company in two rows counts twice, and one may have several industries.`}
    >
      <div class="grid three">
        {panels.map(({ title, ranking }) => (
          <Bars
            key={title}
            title={title}
            entries={ranking.entries.map((entry) => ({ ...entry, name: countryName(entry.name) }))}
            whole={companies}
            note={othersNote(ranking)}
          />
        ))}
      </div>
    </Section>
  );
}
