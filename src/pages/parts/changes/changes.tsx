import type { ChangesInsight } from '../../../report/data/changes-data.ts';
import { Section } from '../section.tsx';
import { count, counted } from '../text/format.ts';
import { ChangeList } from './change-list.tsx';
import { FieldChanges } from './field-changes.tsx';

type Op = keyof ChangesInsight['counts'];

/** Companies and people first: they are what a reader of every morning looks for. */
const tiles: readonly (readonly [Op, string])[] = [
  ['company_found', 'Found'],
  ['company_lost', 'Lost'],
  ['company_replaced', 'Replaced'],
  ['company_changed', 'Changed'],
  ['person_joined', 'People joined'],
  ['person_left', 'People left'],
  ['person_changed', 'People changed'],
  ['row_added', 'Rows added'],
  ['row_removed', 'Rows removed'],
];

/** What differs from an earlier run: found, lost and replaced, fields, who joined and left. */
export function Changes({ changes }: { readonly changes: ChangesInsight }) {
  const { since, counts, shown, file } = changes;
  const total = tiles.reduce((sum, [op]) => sum + counts[op], 0);
  if (total === 0) {
    return (
      <Section id="changes" title={`Nothing has changed since ${since}`}>
        <p class="calm">
          Every row, company and person is as in {since}, but for what moves by itself (traffic,
          followers) and what was not answered.
        </p>
      </Section>
    );
  }
  return (
    <Section
      id="changes"
      title={`${counted(total, 'change', 'changes')} since ${since}`}
      lead={`Against ${since}, without what moves by itself, such as traffic and followers. ${file} has every change with before and after.`}
    >
      <dl class="tiles card">
        {tiles
          .filter(([op]) => counts[op] > 0)
          .map(([op, name]) => (
            <div key={op}>
              <dt>{name}</dt>
              <dd>
                <b>{count(counts[op])}</b>
              </dd>
            </div>
          ))}
      </dl>
      <div class="changed">
        <ChangeList title="Lost" total={counts.company_lost} shown={shown.company_lost} />
        <ChangeList
          title="Replaced by another company"
          total={counts.company_replaced}
          shown={shown.company_replaced}
        />
        <ChangeList title="Found" total={counts.company_found} shown={shown.company_found} />
        <ChangeList title="Joined" total={counts.person_joined} shown={shown.person_joined} />
        <ChangeList title="Left" total={counts.person_left} shown={shown.person_left} />
        <ChangeList title="Rows added" total={counts.row_added} shown={shown.row_added} />
        <ChangeList title="Rows removed" total={counts.row_removed} shown={shown.row_removed} />
      </div>
      <FieldChanges changes={changes} />
    </Section>
  );
}
