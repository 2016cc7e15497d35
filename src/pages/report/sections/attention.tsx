import type { ReportData } from '../../../report/data/report-data.ts';
import { InlineCode } from '../../parts/text/inline-code.tsx';

export function Attention({ data }: { readonly data: ReportData }) {
  const { attention, run } = data;
  return (
    <section class="attention card" aria-labelledby="attention-title">
      <h2 id="attention-title">
        {attention.length === 0 ? 'Nothing needs attention' : 'What needs attention'}
      </h2>
      {attention.length === 0 && (
        <p class="calm">
          {run.state === 'finished'
            ? 'Every row is settled, and nothing unusual was seen.'
            : 'Nothing unusual was seen so far.'}
        </p>
      )}
      <ul>
        {attention.map(({ level, title, advice, section }) => (
          <li key={title} class={level}>
            <h3>
              <span class="badge">{level === 'problem' ? 'To do' : 'To know'}</span>
              {section ? <a href={`#${section}`}>{title}</a> : title}
            </h3>
            <p>
              <InlineCode text={advice} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
