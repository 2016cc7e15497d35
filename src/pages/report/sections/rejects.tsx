import type { Insight, ReasonFacts } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { Breakable } from '../../parts/text/breakable.tsx';
import { count, counted, percent } from '../../parts/text/format.ts';
import { InlineCode } from '../../parts/text/inline-code.tsx';
import { reasonName, statusNames } from '../../parts/text/labels.ts';
import { usePrint } from '../../parts/use-print.ts';

/** A few reasons explain most rows of a list; the others are folded away. */
const shownAtOnce = 6;

export function Rejects({ insight }: { readonly insight: Insight }) {
  const { reasons, sample } = insight;
  const isPrinting = usePrint();
  if (reasons.length === 0) return null;
  const rows = reasons.reduce((sum, reason) => sum + reason.rows, 0);
  const { total } = sample;
  const rest = reasons.slice(shownAtOnce);
  const longest = Math.max(...reasons.map((reason) => reason.rows));
  return (
    <Section
      id="rejects"
      title={`Why ${counted(rows, 'row has', 'rows have')} no company`}
      lead="The rejects files, or the sheet Rejects, hold these rows in their own columns: mend them there and give the file back with dossier fix, which asks for these rows alone."
    >
      <ReasonList reasons={reasons.slice(0, shownAtOnce)} {...{ longest, total }} />
      {rest.length > 0 && (
        <details class="more" open={isPrinting}>
          <summary>{counted(rest.length, 'more reason', 'more reasons')}</summary>
          <ReasonList reasons={rest} {...{ longest, total }} />
        </details>
      )}
    </Section>
  );
}

interface ReasonListProps {
  readonly reasons: readonly ReasonFacts[];
  readonly longest: number;
  readonly total: number;
}

function ReasonList({ reasons, longest, total }: ReasonListProps) {
  return (
    <ul class="reasons">
      {reasons.map(({ status, reason, rows, message, fix, examples }) => (
        <li key={`${status} ${reason}`} class="card">
          <div class="reason-head">
            <h3>
              {reasonName(reason)}{' '}
              {reason !== status && <span class={`tag tag-${status}`}>{statusNames[status]}</span>}
            </h3>
            <p class="figures">
              <b>{count(rows)}</b> <small>{percent(rows, total)} of all rows</small>
            </p>
          </div>
          <span class="track" aria-hidden="true">
            <span class={`fill-${status}`} style={{ width: `${(rows / longest) * 100}%` }} />
          </span>
          <p>{message}</p>
          {fix && (
            <p class="fix">
              <b>Do:</b> <InlineCode text={fix} />
            </p>
          )}
          <ul class="examples" aria-label="Examples">
            {examples.map((example) => (
              <li key={example.row}>
                <small>row {count(example.row)}</small>{' '}
                <q>
                  <Breakable text={example.cell || example.input || 'blank'} />
                </q>
                {example.cell && (
                  <small class="said">
                    <Breakable text={example.input} />
                  </small>
                )}
                {example.message && (
                  <small class="said">
                    <Breakable text={example.message} />
                  </small>
                )}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
