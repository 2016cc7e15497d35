import type { ListRead, RunPlan } from '../../../workbench/api.ts';
import { count, counted, duration, money } from '../../parts/format.ts';
import { Fact, Shares } from '../../parts/text.tsx';
import { linkTo } from '../route.ts';

export function Price({ plan, read }: { plan: RunPlan; read: ListRead }) {
  const { rows, calls, price, seconds, resumes, replaces, budget, held } = plan;
  const rejected = Object.values(rows.rejects).reduce((sum, some) => sum + some, 0);
  const answered = rows.total - rejected - rows.open - rows.suppressed;
  const notes = [
    ...(rows.open > 0 ? [lookupsText(plan, answered)] : []),
    ...(resumes
      ? [
          `Continues ${resumes.run}: ${counted(resumes.rowsSettled, 'row is', 'rows are')} done, ${count(resumes.rowsOpen)} open.`,
        ]
      : []),
    ...plan.notes.filter((note) => note.includes('not UTF-8') && read.isWhole === false),
    ...(budget ? [`The budget is ${verdicts[budget.verdict]}.`] : []),
    ...(replaces
      ? [
          `A run would replace the larger result of ${counted(replaces.rows, 'row')} in ${replaces.folder} (${replaces.run}).`,
        ]
      : []),
  ];
  return (
    <>
      <p class="all-rows">
        <b>{count(rows.total)}</b> {rows.total === 1 ? 'row' : 'rows'}
      </p>
      <div>
        <Shares
          parts={[
            { name: 'Already answered', tone: 'matched', rows: answered },
            { name: 'To look up', tone: 'accent', rows: rows.open },
            { name: 'Invalid', tone: 'invalid', rows: rejected },
            { name: 'Suppressed', tone: 'suppressed', rows: rows.suppressed },
          ]}
          whole={rows.total}
        />
      </div>
      {held !== null && (
        <p class="notice failed" role="alert">
          <b>This list needs your approval before its first lookup:</b> {held}.
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <dl class="facts">
        <Fact name="Lookups">{range(calls)}</Fact>
        <Fact name="Including people searches">
          {calls.people.mostIfFull > 0 ? range(calls.people) : ''}
        </Fact>
        <Fact name="Price">
          {price ? (
            range(price, (amount) => money(price.currency, amount))
          ) : read.service.isSample ? (
            'free, sample data'
          ) : (
            <a href={linkTo({ view: 'settings', job: read.job })}>not set; set a price</a>
          )}
        </Fact>
        <Fact name="Time">{seconds ? timeText(seconds) : 'as fast as the service answers'}</Fact>
      </dl>
    </>
  );
}

type Range = Pick<RunPlan['calls'], 'least' | 'mostIfFull'>;

/** `3,104`, or `3,104 to 9,312` */
function range({ least, mostIfFull }: Range, text: (value: number) => string = count): string {
  return least === mostIfFull ? text(least) : `${text(least)} to ${text(mostIfFull)}`;
}

/** `5 min`, or `5 min to 1 h` */
function timeText(seconds: Range): string {
  if (seconds.mostIfFull === 0) return 'none';
  return range(seconds, duration);
}

/** `9 rows need 7 lookups (2 rows repeat another) and up to 1 retry: at most 8 lookups.` */
function lookupsText(plan: RunPlan, answered: number): string {
  const { rows, calls, advisedBudget, sampleData } = plan;
  const repeated = rows.open - calls.companies;
  const most = sampleData ? calls.mostIfFull : advisedBudget;
  const retries = most - calls.mostIfFull;
  const people = calls.people.mostIfFull;
  const saved = [
    ...(repeated > 0 ? [counted(repeated, 'row repeats another', 'rows repeat another')] : []),
    ...(answered > 0
      ? [counted(answered, 'more row is already answered', 'more rows are already answered')]
      : []),
  ];
  const added = [
    ...(calls.fallbacks > 0
      ? [`up to ${count(calls.fallbacks)} more where the first column finds nothing`]
      : []),
    ...(people > 0 ? [`up to ${counted(people, 'people search', 'people searches')}`] : []),
    ...(retries > 0 ? [`up to ${counted(retries, 'retry', 'retries')}`] : []),
  ];
  const need = `${counted(rows.open, 'row needs', 'rows need')} ${counted(calls.companies, 'lookup')}`;
  const first = saved.length === 0 ? need : `${need} (${saved.join(', ')})`;
  if (added.length === 0) return `${first}.`;
  const all = [first, ...added];
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)}: at most ${counted(most, 'lookup')}.`;
}

const verdicts = {
  enough: 'enough, unless lookups must be repeated',
  likely: 'probably enough',
  perhaps: 'perhaps not enough; run again to continue',
  short: 'not enough; run again to continue',
} as const;
