import type { FieldGroup, Insight } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { counted, percent } from '../../parts/text/format.ts';

export function Coverage({ insight }: { readonly insight: Insight }) {
  const { coverage, companies } = insight;
  if (companies === 0) return null;
  const fields = coverage.flatMap((group) => group.fields);
  const blank = fields.filter(({ filled }) => filled === 0).length;
  return (
    <Section
      id="coverage"
      title={
        blank === 0
          ? 'Every field is filled for somebody'
          : `${counted(blank, 'field of', 'fields of')} ${fields.length} were never filled`
      }
      lead={`How many of ${counted(companies, 'row', 'rows')} with a company have something in each field.`}
    >
      <div class="groups card">
        {coverage.map((group, index) => (
          <Group key={group.name} group={group} whole={companies} isOpen={index === 0} />
        ))}
      </div>
    </Section>
  );
}

interface GroupProps {
  readonly group: FieldGroup;
  readonly whole: number;
  readonly isOpen: boolean;
}

function Group({ group, whole, isOpen }: GroupProps) {
  const filled = group.fields.reduce((sum, field) => sum + field.filled, 0);
  const share = filled / (whole * group.fields.length);
  return (
    <details open={isOpen}>
      <summary>
        <h3>{group.name}</h3>
        <small>{counted(group.fields.length, 'field', 'fields')}</small>
        <span class="track" aria-hidden="true">
          {filled > 0 && <span style={{ width: `${share * 100}%` }} />}
        </span>
        <span class="figures">{percent(filled, whole * group.fields.length)} filled</span>
      </summary>
      <ul class="bars fields">
        {group.fields.map(({ name, about, filled: some }) => (
          <li key={name} class={some === 0 ? 'never' : undefined} title={about}>
            <code class="name">{name}</code>
            <span class="figures">{percent(some, whole)}</span>
            <span class="track" aria-hidden="true">
              {some > 0 && <span style={{ width: `${(some / whole) * 100}%` }} />}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
