import type { Insight, OutcomesOfKind } from '../../../report/data/insight-data.ts';
import { StackedBar } from '../../parts/charts/stacked-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { count, counted } from '../../parts/text/format.ts';
import { kindName, statusesOf, statusNames } from '../../parts/text/labels.ts';

export function Outcomes({ insight }: { readonly insight: Insight }) {
  const { outcomes, companies } = insight;
  const statuses = statusesOf(outcomes);
  const rowsOf = (kind: OutcomesOfKind) => statuses.reduce((sum, status) => sum + kind[status], 0);
  return (
    <Section
      id="outcomes"
      title="Which identifiers found companies?"
      lead="Rows by the identifier that was asked for last: the one that found the company, or the last that did not."
    >
      <div class="card scroll">
        <table class="outcomes">
          <thead>
            <tr>
              <th scope="col">Identifier</th>
              <th scope="col" class="wide">
                Share of its rows
              </th>
              {statuses.map((status) => (
                <th key={status} scope="col" class="number">
                  {statusNames[status]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {outcomes.map((kind) => (
              <tr key={kind.kind}>
                <th scope="row">
                  {kindName(kind.kind)} <small>{counted(rowsOf(kind), 'row', 'rows')}</small>
                </th>
                <td class="wide">
                  <StackedBar
                    parts={statuses.map((status) => ({ status, rows: kind[status] }))}
                    whole={rowsOf(kind)}
                  />
                </td>
                {statuses.map((status) => (
                  <td key={status} class={kind[status] === 0 ? 'number none' : 'number'}>
                    {count(kind[status])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {companies > 0 && <p class="aside">{matchText(insight)}</p>}
    </Section>
  );
}

/** Says how many companies carry the identifier that was asked for, by itself or as an alias. */
function matchText({ matches, companies }: Insight): string {
  const { alias, joined, unverified, mismatch } = matches;
  const otherwise = joined > 0 ? ` ${count(joined)} were found under another identifier.` : '';
  if (unverified + mismatch === 0) {
    return `Every company carries the identifier that was asked for.${otherwise}`;
  }
  const parts = [
    `${count(companies - unverified - mismatch)} carry the identifier that was asked for`,
    alias > 0 ? `${count(alias)} of them as an alias` : '',
    unverified > 0 ? `${count(unverified)} could not be checked` : '',
    mismatch > 0 ? `${count(mismatch)} carry another` : '',
  ];
  return `Of ${counted(companies, 'company', 'companies')}, ${parts.filter(Boolean).join(', ')}.${otherwise}`;
}
