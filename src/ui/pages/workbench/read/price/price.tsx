import type { ListRead } from '../../../../workbench/api/lists.ts';
import type { RunPlan } from '../../../../workbench/api/runs.ts';
import { count, counted } from '../../../parts/text/format.ts';
import { reasonName } from '../../../parts/text/labels.ts';
import { linkTo } from '../../shell/route.ts';
import { money, range, time } from './money.ts';

/** What a run would take: rows, lookups, money and time. */
export function Price({ plan, read }: { readonly plan: RunPlan; readonly read: ListRead }) {
  const { calls, price, atHand, seconds, resumes, replaces } = plan;
  const saved = atHand.companies + atHand.misses + atHand.peoplePages;
  const notes = plan.notes.filter((note) => note.includes('not UTF-8') && read.isWhole === false);
  return (
    <>
      <RowBar rows={plan.rows} />
      {plan.rows.open > 0 && <p class="note">{lookupsText(plan)}</p>}
      {resumes && (
        <p class="note">{`Goes on with ${resumes.run}: ${counted(resumes.rowsSettled, 'row is', 'rows are')} done, ${count(resumes.rowsOpen)} open.`}</p>
      )}
      <dl class="takes">
        <Fact name="Lookups" value={range(calls)} />
        {calls.people.mostIfFull > 0 && (
          <Fact name="People searches among them" value={range(calls.people)} />
        )}
        {price && (
          <Fact name="Price" value={range(price, (amount) => money(price.currency, amount))} />
        )}
        {!price && read.service.isSample && <Fact name="Price" value="free, sample data" />}
        {!price && !read.service.isSample && (
          <div>
            <dt>Price</dt>
            <dd>
              <a href={linkTo({ view: 'settings', job: read.job })}>not set: set it</a>
            </dd>
          </div>
        )}
        {saved > 0 && <Fact name="Already answered" value={count(saved)} />}
        <Fact name="Time" value={seconds ? time(seconds) : 'as fast as it answers'} />
      </dl>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {plan.budget && <p class="note">{`The budget is ${verdicts[plan.budget.verdict]}.`}</p>}
      {replaces && (
        <p class="note">{`It would replace the larger result of ${counted(replaces.rows, 'row', 'rows')} in ${replaces.folder} (${replaces.run}).`}</p>
      )}
    </>
  );
}

/** Why there are more or fewer lookups than rows. */
function lookupsText({ rows, calls }: RunPlan): string {
  const why = [
    ...(rows.duplicates > 0 ? ['rows of the same company share one'] : []),
    ...(calls.fallbacks > 0 ? ['a row not found by its first column is tried by the next'] : []),
    ...(calls.people.mostIfFull > 0 ? ['each company found is searched for people'] : []),
  ];
  const need = calls.mostIfFull === 1 ? 'lookup' : 'lookups';
  const text = `${counted(rows.open, 'row needs', 'rows need')} ${range(calls)} ${need}`;
  return why.length === 0 ? `${text}.` : `${text}: ${why.join('; ')}.`;
}

const verdicts = {
  enough: 'enough, if no lookup has to be tried again',
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
    { name: 'already answered', fill: 'fill-matched', rows: total - rejected - open },
    { name: 'to look up', fill: 'fill-ask', rows: open },
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
