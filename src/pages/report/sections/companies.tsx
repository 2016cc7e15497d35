import type { Insight, Ranking } from '../../../report/data/insight-data.ts';
import { Bars, othersNote } from '../../parts/charts/bars.tsx';
import { Section } from '../../parts/section.tsx';
import { count } from '../../parts/text/format.ts';
import { countryName } from '../../parts/text/labels.ts';

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
