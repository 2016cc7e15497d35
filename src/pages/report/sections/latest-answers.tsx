import type { ReportData } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { Breakable } from '../../parts/text/breakable.tsx';
import { duration, timeOfDay } from '../../parts/text/format.ts';

const outcomeNames = {
  hit: { name: 'Found', tag: 'matched' },
  miss: { name: 'Not found', tag: 'not_found' },
  invalid: { name: 'Invalid', tag: 'invalid' },
  oversized: { name: 'Too large', tag: 'failed' },
  failed: { name: 'Failed', tag: 'failed' },
} as const;

/** The newest answers, shown while a run is still calling. */
export function LatestAnswers({ data }: { readonly data: ReportData }) {
  return (
    <Section
      id="latest"
      title="What came in last"
      lead="Countries, fields, people and every row follow when the run has finished."
    >
      {data.recent.length === 0 ? (
        <p class="empty">No answer yet.</p>
      ) : (
        <div class="card scroll">
          <table>
            <thead>
              <tr>
                <th scope="col" class="roomy">
                  Time
                </th>
                <th scope="col">Outcome</th>
                <th scope="col">Asked for</th>
                <th scope="col">Company</th>
                <th scope="col" class="number roomy">
                  Took
                </th>
              </tr>
            </thead>
            <tbody>
              {data.recent.map(({ id, at, asked, outcome, company, durationMs }) => (
                <tr key={id}>
                  <td class="nowrap roomy">{timeOfDay(at)}</td>
                  <td>
                    <span class={`tag tag-${outcomeNames[outcome].tag}`}>
                      {outcomeNames[outcome].name}
                    </span>
                  </td>
                  <td>
                    <Breakable text={asked} />
                  </td>
                  <td>{company}</td>
                  <td class="number roomy">{duration(durationMs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
