import type { Insight } from '../../../report/data/insight-data.ts';
import { Section } from '../../parts/section.tsx';
import { Breakable } from '../../parts/text/breakable.tsx';
import { count, counted } from '../../parts/text/format.ts';

export function Drift({ insight }: { readonly insight: Insight }) {
  const { drift, companies } = insight;
  if (companies === 0) return null;
  if (drift.length === 0) {
    return (
      <Section id="drift" title="The service answers as its interface says">
        <p class="calm">No field was unknown, and none came in another type.</p>
      </Section>
    );
  }
  return (
    <Section
      id="drift"
      title={`${counted(drift.length, 'field comes', 'fields come')} otherwise than the interface says`}
      lead="Nothing is lost: what could not be kept in its column is in company_extra."
    >
      <div class="card scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">The interface says</th>
              <th scope="col">The service sent</th>
              <th scope="col" class="number">
                Rows
              </th>
              <th scope="col" class="number">
                First row
              </th>
            </tr>
          </thead>
          <tbody>
            {drift.map(({ path, expected, found, rows, firstRow }) => (
              <tr key={`${path} ${expected} ${found}`}>
                <th scope="row">
                  <code>
                    <Breakable text={path} />
                  </code>
                </th>
                <td>{expected}</td>
                <td>{found}</td>
                <td class="number">{count(rows)}</td>
                <td class="number">{count(firstRow)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
