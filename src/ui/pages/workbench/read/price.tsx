import { formatMoney } from '../../../../core/runtime/budget/money.ts';
import { formatDuration } from '../../../../core/runtime/duration.ts';
import { counted, formatNumber } from '../../../../core/runtime/format.ts';
import type { JobState, ListRead, MadeJob, RunPlan } from '../../../workbench/api.ts';
import { request } from '../../parts/api.ts';
import { Problem } from '../../parts/controls.tsx';
import { currentOf, useAttempt, useRequest } from '../../parts/load.ts';
import { Fact, InlineCode, Shares } from '../../parts/text.tsx';
import { linkTo } from '../route.ts';
import { SpendButton } from '../spend.tsx';

export function Price(plan: RunPlan & { read: ListRead }) {
  const { read, rows, calls, price, seconds, resumes, replaces, budget, held } = plan;
  const rejected = Object.values(rows.rejects).reduce((sum, some) => sum + some, 0);
  const answered = rows.total - rejected - rows.open - rows.suppressed;
  const notes = [
    calls.mostIfFull > 0 && lookupsText(plan, answered),
    resumes &&
      `Continues ${resumes.run}: ${counted(resumes.rowsSettled, 'row is', 'rows are')} done, ${formatNumber(resumes.rowsOpen)} open.`,
    ...plan.notes.filter((note) => note.includes('not UTF-8') && read.isWhole === false),
    budget && `The budget has ${counted(budget.left, 'lookup')} left: ${verdicts[budget.verdict]}.`,
    replaces &&
      `A run would replace the larger result of ${counted(replaces.rows, 'row')} in ${replaces.folder} (${replaces.run}).`,
  ];
  return (
    <>
      <p class="all-rows">
        <b>{formatNumber(rows.total)}</b> {rows.total === 1 ? 'row' : 'rows'}
      </p>
      <div>
        <Shares
          parts={[
            { name: 'Already answered', tone: 'matched', rows: answered },
            { name: 'To look up', tone: 'accent', rows: rows.open },
            { name: 'Invalid', tone: 'invalid', rows: rejected },
            { name: 'Suppressed', tone: 'suppressed', rows: rows.suppressed },
          ]}
        />
      </div>
      {held !== null && (
        <p class="notice failed" role="alert">
          <b>This run needs your approval before its first lookup:</b> {held}.
        </p>
      )}
      {notes.map(
        (note) =>
          note && (
            <p key={note} class="note">
              {note}
            </p>
          ),
      )}
      <dl class="facts">
        <Fact name="Price">
          {price ? (
            formatMoney(price.currency, price.least, price.withMargin)
          ) : read.service.isSample ? (
            'free, sample data'
          ) : (
            <a href={linkTo({ view: 'settings', job: read.job })}>not set; set a price</a>
          )}
        </Fact>
        {calls.mostIfFull > 0 && (
          <Fact name="Time">
            {seconds
              ? [
                  ...new Set(
                    [seconds.least, seconds.mostIfFull].map((some) => formatDuration(some * 1_000)),
                  ),
                ].join(' to ')
              : 'as fast as the service answers'}
          </Fact>
        )}
      </dl>
    </>
  );
}

const wordsOf = (parts: readonly (readonly [number, string])[], before = '') =>
  parts.flatMap(([some, words]) => (some > 0 ? [`${before}${formatNumber(some)} ${words}`] : []));

/** `9 rows need 7 lookups (2 with a repeated identifier), plus up to 1 for retries: at most 8.` */
function lookupsText({ rows, calls, advisedBudget, sampleData }: RunPlan, answered: number) {
  const most = sampleData ? calls.mostIfFull : advisedBudget;
  const saved = wordsOf([
    [rows.open - calls.companies, 'with a repeated identifier'],
    [answered, 'already answered'],
  ]);
  const added = wordsOf(
    [
      [calls.fallbacks, 'where the first identifier finds nothing'],
      [calls.people.mostIfFull, 'for people'],
      [most - calls.mostIfFull, 'for retries'],
    ],
    ', plus up to ',
  );
  const need =
    rows.open === 0
      ? 'No row needs a new lookup'
      : `${counted(rows.open, 'row needs', 'rows need')} ${counted(calls.companies, 'lookup')}`;
  const why = saved.length > 0 ? ` (${saved.join(', ')})` : '';
  return `${need}${why}${added.join('')}${added.length > 0 ? `: at most ${formatNumber(most)}` : ''}.`;
}

const verdicts = {
  enough: 'enough, unless lookups must be repeated',
  likely: 'probably enough',
  perhaps: 'may not cover the whole list; if the run stops, you can continue it later',
  short: 'does not cover the whole list; the run will stop, and you can continue it later',
} as const;

const rowsOfTry = 10;

export function StartRun({
  read,
  plan,
  version,
}: {
  read: ListRead;
  plan: RunPlan | null | undefined;
  /** Increases when the job may have changed. */
  version: number;
}) {
  const { job } = read;
  const { problem, isBusy, attempt } = useAttempt();
  const { value: state } = useRequest<JobState>('state', { job }, version);
  const firstRows = useRequest<RunPlan>('plan', { job, limit: rowsOfTry }, version);
  if (state?.isRunning) {
    return (
      <p id="run" tabIndex={-1} role="note">
        A run of this list is in progress. Changes here apply to the next run.{' '}
        <a class="button primary" href={linkTo({ view: 'result', job })}>
          Watch it
        </a>
      </p>
    );
  }
  if (!read.service.hasKey) return <NoKey />;
  const start = (body: object) =>
    attempt(async () => {
      // Makes a job file, so that the terminal can continue the run.
      const make = { method: 'PATCH', query: { job }, body: {} } as const;
      const made = await request<MadeJob>('job', make);
      await request('run', { query: { job: made.job }, body });
      location.hash = linkTo({ view: 'result', job: made.job });
    });
  const isOff = isBusy || read.rowsSeen === 0;
  const isHeld = plan?.held != null;
  const held = plan?.accept === 'clock' ? 'clock' : 'list';
  const isFirst = !state?.run && !(read.isWhole && read.rowsSeen <= rowsOfTry);
  const isKnown = state !== undefined && !isHeld;
  return (
    <div class="stack" id="run" tabIndex={-1}>
      <div class="row grow">
        <SpendButton
          words="Try ten rows"
          plan={currentOf(firstRows)}
          isOff={isOff}
          isPrimary={isKnown && isFirst}
          onStart={(atMost) => start({ atMost, limit: rowsOfTry })}
        />
        <SpendButton
          words={isHeld ? `The ${held} is right: run it` : 'Run'}
          isPrimary={isKnown && !isFirst}
          {...{ plan, isOff: isBusy || (read.rowsSeen === 0 && !isHeld) }}
          onStart={(atMost) => start({ atMost, accept: plan?.accept })}
        />
      </div>
      <Problem of={problem} />
    </div>
  );
}

function NoKey() {
  return (
    <div id="run" tabIndex={-1} role="note">
      <p>
        <b>No API key is set, so nothing can be looked up.</b>
      </p>
      <p>
        <InlineCode text="Stop `dossier ui` with Ctrl-C, set `DOSSIER_API_KEY` in that terminal and start `dossier ui` again. Or set `service.keyFile` in the job to the path of a file that holds the key. This page never asks for a key." />
      </p>
    </div>
  );
}
