import type { Insight, OutcomesOfKind } from '../report-data.ts';
import { count, counted, percent } from './format.ts';
import { Section } from './section.tsx';
import { StackedBar } from './stacked-bar.tsx';
import { kindName, statuses, statusNames } from './words.ts';

export function Outcomes({ insight }: { readonly insight: Insight }) {
  const { outcomes, matches, companies } = insight;
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
      {companies > 0 && (
        <p class="aside">
          Of the {counted(companies, 'company', 'companies')},{' '}
          {percent(matches.exact + matches.alias, companies)} carry the identifier that was asked
          for ({count(matches.alias)} of them as an alias), {count(matches.unverified)} could not be
          checked, and {count(matches.mismatch)} carry another.
        </p>
      )}
    </Section>
  );
}

function rowsOf(kind: OutcomesOfKind): number {
  return statuses.reduce((sum, status) => sum + kind[status], 0);
}
