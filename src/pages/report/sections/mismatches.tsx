import type { Insight } from '../../../report/data/insight-data.ts';
import { Section } from '../../parts/section.tsx';
import { Breakable } from '../../parts/text/breakable.tsx';
import { count, counted } from '../../parts/text/format.ts';
import { kindName } from '../../parts/text/labels.ts';

const shown = 25;

export function Mismatches({ insight }: { readonly insight: Insight }) {
  const { matches, sample } = insight;
  if (matches.mismatch === 0) return null;
  const rows = sample.rows.filter(({ match }) => match === 'mismatch').slice(0, shown);
  const more = matches.mismatch - rows.length;
  return (
    <Section
      id="mismatches"
      title={`${counted(matches.mismatch, 'company carries', 'companies carry')} another identifier than was asked for`}
      lead={
        <>
          A rename, a parent company, or a mistake: look before you use them.{' '}
          <code>onMismatch: reject</code> in the job leaves them out.
        </>
      }
    >
      <div class="card scroll">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Row
              </th>
              <th scope="col">Input</th>
              <th scope="col">Asked for</th>
              <th scope="col">Company that came</th>
              <th scope="col">Its domain</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, input, kind, identifier, company, domain }) => (
              <tr key={row}>
                <th scope="row" class="number">
                  {count(row)}
                </th>
                <td>
                  <Breakable text={input} />
                </td>
                <td>
                  <small>{kindName(kind ?? '')}</small> <Breakable text={identifier ?? ''} />
                </td>
                <td>{company}</td>
                <td>
                  <Breakable text={domain ?? ''} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <p class="aside">
          {counted(more, 'more is', 'more are')} in {sample.file}, where match is mismatch.
        </p>
      )}
    </Section>
  );
}
