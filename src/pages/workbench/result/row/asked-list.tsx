import type { AskedIdentifier } from '../../../../workbench/api/whole-row.ts';
import { counted, duration, moment } from '../../../parts/text/format.ts';
import { kindName } from '../../../parts/text/labels.ts';

/** What the row could be found by, best first, and what each has brought. */
export function AskedList({ asked }: { readonly asked: readonly AskedIdentifier[] }) {
  return (
    <ol class="asked">
      {asked.map((one) => (
        <li key={`${one.kind} ${one.value}`}>
          <p>
            <span class={`dot fill-${fills[one.outcome]}`} aria-hidden="true" />
            <b>{kindName(one.kind)}</b> <span class="breakable">{one.value}</span>
          </p>
          <p class="none">{[outcomes[one.outcome], ...howOf(one)].join(' · ')}</p>
          {one.message && <p>{one.message}</p>}
        </li>
      ))}
    </ol>
  );
}

const outcomes: Readonly<Record<AskedIdentifier['outcome'], string>> = {
  hit: 'found',
  miss: 'not found',
  invalid: 'refused by the service',
  oversized: 'found, but the answer is too large to keep',
  failed: 'failed after all attempts',
  open: 'not asked yet',
  spare: 'not asked: one before it was enough',
};

const fills: Readonly<Record<AskedIdentifier['outcome'], string>> = {
  hit: 'matched',
  miss: 'not_found',
  invalid: 'invalid',
  oversized: 'invalid',
  failed: 'failed',
  open: 'open',
  spare: 'open',
};

const sources: Readonly<Record<NonNullable<AskedIdentifier['source']>, string>> = {
  called: 'asked in this run',
  reused: 'from an earlier answer, free',
  joined: 'from the answer to another identifier, free',
};

function howOf(one: AskedIdentifier): readonly string[] {
  const { source, httpStatus, attempts, durationMs, answeredAt } = one;
  return [
    ...(source ? [sources[source]] : []),
    ...(httpStatus === null ? [] : [`HTTP ${httpStatus}`]),
    ...(attempts !== null && attempts > 1 ? [counted(attempts, 'attempt', 'attempts')] : []),
    ...(durationMs === null ? [] : [duration(durationMs)]),
    ...(answeredAt ? [moment(Date.parse(answeredAt))] : []),
  ];
}
