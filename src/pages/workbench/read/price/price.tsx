import type { RunPlan } from '../../../../workbench/api/plan.ts';
import { count, counted } from '../../../parts/text/format.ts';
import { reasonName } from '../../../parts/text/labels.ts';
import { money, range, time } from './money.ts';

/** What a run would take: rows, calls, money and time. */
export function Price({ plan, isSample }: { readonly plan: RunPlan; readonly isSample: boolean }) {
  const { calls, price, atHand, seconds, resumes, replaces } = plan;
  const saved = atHand.companies + atHand.misses + atHand.peoplePages;
  return (
    <>
      <RowBar rows={plan.rows} />
      {resumes && (
        <p class="note">{`Goes on with ${resumes.run}: ${counted(resumes.rowsSettled, 'row is', 'rows are')} settled, ${count(resumes.rowsOpen)} open.`}</p>
      )}
      <dl class="takes">
        <Fact name="Calls" value={range(calls)} />
        {price && (
          <Fact name="Price" value={range(price, (amount) => money(price.currency, amount))} />
        )}
        {!price && isSample && <Fact name="Price" value="free, sample data" />}
        <Fact name="Answers at hand" value={count(saved)} />
        <Fact name="Time" value={seconds ? time(seconds) : 'as fast as it answers'} />
        {calls.people.mostIfFull > 0 && (
          <Fact name="Of the calls, pages of people" value={range(calls.people)} />
        )}
      </dl>
      {plan.budget && <p class="note">{`The budget is ${verdicts[plan.budget.verdict]}.`}</p>}
      {replaces && (
        <p class="note">{`It would replace the larger result of ${counted(replaces.rows, 'row', 'rows')} in ${replaces.folder} (${replaces.run}).`}</p>
      )}
    </>
  );
}

const verdicts = {
  enough: 'enough, if no call has to be tried again',
  likely: 'enough, if the service fills its pages',
  perhaps: 'perhaps not enough; running again goes on',
  short: 'not enough; running again goes on',
} as const;

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const reasonsShown = 3;

function RowBar({ rows: { total, open, rejects } }: Pick<RunPlan, 'rows'>) {
  const reasons = Object.entries(rejects).sort(([, one], [, other]) => other - one);
  const rejected = reasons.reduce((sum, [, some]) => sum + some, 0);
  const parts = [
    { name: 'known already', fill: 'fill-matched', rows: total - rejected - open },
    { name: 'to be asked', fill: 'fill-ask', rows: open },
    { name: 'invalid', fill: 'fill-invalid', rows: rejected },
  ];
  return (
    <div class="row-bar">
      <p class="all-rows">
        <b>{count(total)}</b> {total === 1 ? 'row' : 'rows'}
      </p>
      <div class="stack" aria-hidden="true">
        {parts
          .filter(({ rows }) => rows > 0)
          .map(({ name, fill, rows }) => (
            <span key={name} class={fill} style={{ flexGrow: String(rows / Math.max(1, total)) }} />
          ))}
      </div>
      <ul class="legend">
        {parts.map(({ name, fill, rows }) => (
          <li key={name}>
            <span class={`dot ${fill}`} aria-hidden="true" />
            {`${count(rows)} ${name}`}
          </li>
        ))}
      </ul>
      {rejected > 0 && (
        <p class="top-reasons">
          {reasons
            .slice(0, reasonsShown)
            .map(([reason, some]) => `${reasonName(reason)} ${count(some)}`)
            .join(' · ')}
          {reasons.length > reasonsShown && ` · ${reasons.length - reasonsShown} other reasons`}
        </p>
      )}
    </div>
  );
}
