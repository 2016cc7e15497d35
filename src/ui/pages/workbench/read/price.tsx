import { formatDuration } from '../../../../core/values/duration.ts';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import { formatMoney } from '../../../../core/values/money.ts';
import { leastText, unknownYet } from '../../../words/expected.ts';
import type {
  JobState,
  ListRead,
  MadeJob,
  RunPlan,
  ServiceUsage,
} from '../../../workbench/api/answers.ts';
import { request } from '../../parts/api.ts';
import { Problem } from '../../parts/controls.tsx';
import { localTime } from '../../parts/format.ts';
import { currentOf, useAttempt, useRequest } from '../../parts/load.ts';
import { Fact, InlineCode, Shares } from '../../parts/text.tsx';
import { linkTo } from '../route.ts';
import { isBudgetSpent, knownText, SpendButton, upToText } from '../spend.tsx';

export function Price(plan: RunPlan & { read: ListRead }) {
  const { read, rows, calls, price, priceWithoutPeople, callTerms, services, seconds } = plan;
  const { resumes, replaces, held } = plan;
  const rejected = Object.values(rows.rejects).reduce((sum, some) => sum + some, 0);
  const answered = rows.total - rejected - rows.open - rows.suppressed;
  const isSpent = isBudgetSpent(plan);
  const isCapped = calls.most < mostWithoutBudget(plan);
  const job = { job: read.job };
  const limits = useRequest<ServiceUsage[]>('services/usage', isCapped ? job : null).value ?? [];
  const notes = [
    calls.most + calls.companies > 0 && [callsText(plan, answered), budgetText(plan)].join(' '),
    ...(isCapped ? limits : []).flatMap(({ service, budget }) =>
      budget.map((limit) => `Limit of ${service}: ${limit}.`),
    ),
    resumes &&
      `Continues ${resumes.run}: ${counted(resumes.rowsSettled, 'row is', 'rows are')} done, ${formatNumber(resumes.rowsOpen)} open.`,
    ...plan.notes.filter((note) => note.startsWith('Names in the register: ')),
    uncertainNames.some((reason) => rows.rejects[reason]) &&
      'Uncertain names cost nothing. After the run, choose their companies in Fix.',
    ...plan.notes.filter((note) => note.includes('not UTF-8') && read.isWhole === false),
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
          <b>This run needs your approval before its first call:</b> {held}.
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
          {isSpent ? null : price ? (
            expectedText(
              price,
              (amount) => formatMoney(price.currency, amount),
              calls.expected === null ? leastText(plan) : unknownYet,
            )
          ) : read.service.isSample ? (
            'free, sample data'
          ) : services ? (
            upToText(plan)
          ) : (
            <>
              {priceWithoutPeople && `${knownText(priceWithoutPeople)}. `}
              <a href={linkTo({ view: 'settings', job: read.job })}>
                {priceWithoutPeople ? 'Set it' : 'not set; set a price'}
              </a>
            </>
          )}
        </Fact>
        {!services && <Fact name="Service">{read.service.host}</Fact>}
        {callTerms.length > 0 && <Fact name="Each call">{callTerms.join('. ')}</Fact>}
        {services?.map(({ name, most, price: own }) => (
          <Fact key={name} name={`Service ${name}`}>
            {most === 0
              ? 'no calls'
              : `${counted(most, 'call')} at most, ${own ? formatMoney(own.currency, own.most) : 'price not set'}`}
          </Fact>
        ))}
        {calls.most > 0 && (
          <Fact name="Time">
            {seconds && seconds.most < 1
              ? 'less than a second'
              : seconds
                ? expectedText(seconds, (some) => formatDuration(some * 1_000))
                : 'as fast as the service answers'}
          </Fact>
        )}
      </dl>
    </>
  );
}

const uncertainNames = ['name_ambiguous', 'name_not_found'];

/** `about AUD 96.00, at most AUD 158.40` */
function expectedText(
  { expected, most }: { readonly expected: number | null; readonly most: number },
  format: (amount: number) => string,
  unknown = unknownYet,
) {
  const [probably, limit] = [format(expected ?? most), format(most)];
  if (expected === null) return `at most ${limit} (${unknown})`;
  return probably === limit ? limit : `about ${probably}, at most ${limit}`;
}

const wordsOf = (parts: readonly (readonly [number, string])[], before = '') =>
  parts.flatMap(([some, words]) => (some > 0 ? [`${before}${formatNumber(some)} ${words}`] : []));

/** `9 rows need 7 calls (2 with the same identifier), plus up to 1 for repeats: at most 8.` */
function callsText({ rows, calls }: RunPlan, answered: number) {
  const openCopies = rows.open - calls.companies;
  const copies = Math.min(answered, Math.max(0, rows.duplicates - openCopies));
  const saved = wordsOf([
    [openCopies, 'with the same identifier'],
    [answered - copies, 'already answered'],
    [copies, copies === 1 ? 'that repeats one of them' : 'that repeat them'],
  ]);
  const added = wordsOf(
    [
      [calls.fallbacks, 'where the first identifier finds nothing'],
      [calls.people, 'for people'],
      [calls.repeats, 'for repeats'],
    ],
    ', plus up to ',
  );
  const why = saved.length > 0 ? ` (${saved.join(', ')})` : '';
  const need =
    rows.open === 0
      ? `All companies are known${why}`
      : `${counted(rows.open, 'row needs', 'rows need')} ${counted(calls.companies, 'call')}${why}`;
  const sum = mostWithoutBudget({ calls });
  const isCapped = calls.most < sum;
  const left = calls.most === 0 ? 'none' : formatNumber(calls.most);
  const most = isCapped ? `. The budget allows ${left} of them` : `: at most ${formatNumber(sum)}`;
  return `${need}${added.join('')}${isCapped || added.length > 0 ? most : ''}.`;
}

function mostWithoutBudget({ calls }: Pick<RunPlan, 'calls'>) {
  return calls.companies + calls.fallbacks + calls.people + calls.repeats;
}

function budgetText({ calls, budget }: RunPlan) {
  if (isBudgetSpent({ calls })) {
    return budget?.freeAt
      ? `The next calls can be made from ${localTime(budget.freeAt)} on.`
      : 'Raise the budget in Settings, or wait for the next day or month.';
  }
  if (calls.most < calls.companies) {
    return 'The run will stop there, and you can continue it later.';
  }
  if (budget?.verdict === 'likely') return 'That is probably enough.';
  return budget?.verdict === 'perhaps' ? 'If it is not enough, you can continue later.' : '';
}

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
  if (!read.service.hasKey) return <NoKey job={job} />;
  const start = (body: object) =>
    attempt(async () => {
      // Makes a job file, so that the terminal can continue the run.
      const make = { method: 'PATCH', query: { job }, body: {} } as const;
      const made = await request<MadeJob>('job', make);
      await request('run', { query: { job: made.job }, body });
      location.hash = linkTo({ view: 'result', job: made.job });
    });
  const isHeld = plan?.held != null;
  const held = plan?.accept === 'clock' ? 'clock' : 'list';
  const first = currentOf(firstRows);
  const isTried = first ? first.calls.most === 0 && !isBudgetSpent(first) : state?.run != null;
  const isShort = (read.isWhole && read.rowsSeen <= rowsOfTry) || isTried;
  const isFirst = !state?.run && !isShort;
  const isKnown = state !== undefined && !isHeld;
  return (
    <div class="stack" id="run" tabIndex={-1}>
      <div class="row grow">
        {!isShort && (
          <SpendButton
            words="Try ten rows"
            plan={first}
            isOff={isBusy || read.rowsSeen === 0}
            isPrimary={isKnown && isFirst}
            onStart={(atMost) => start({ atMost, limit: rowsOfTry })}
          />
        )}
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

function NoKey({ job }: { job: string }) {
  return (
    <div id="run" tabIndex={-1} role="note">
      <p>
        <b>No API key is set, so nothing can be looked up.</b>
      </p>
      <p>
        <a href={linkTo({ view: 'settings', job })}>Enter the key in Settings</a>
        <InlineCode text=", or set `DOSSIER_API_KEY` in the terminal and start `dossier ui` again." />
      </p>
    </div>
  );
}
