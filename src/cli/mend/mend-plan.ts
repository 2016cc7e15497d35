import { styleText } from 'node:util';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type Mending, requirePlace } from '../../run/mend/mend-list.ts';
import { type Plan, planJob } from '../../run/plan-job.ts';
import { formatMoneyRange, toMicros } from '../../runtime/budget/money.ts';
import { systemClock } from '../../runtime/clock.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { printable } from '../../runtime/printable.ts';
import { counted } from '../terminal/counted.ts';
import { sampleDataText } from '../terminal/sample-data-text.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { mendPlanJson } from './mend-json.ts';
import { correctionLines, mendingNotes } from './mend-text.ts';

/** Says what mending would ask for and cost. Nothing is kept, and no call is made. */
export async function showMendPlan(
  job: ResolvedJob,
  mending: Mending | undefined,
  { json }: { readonly json: boolean },
): Promise<void> {
  const plan = await planMend(job, mending);
  const object = mendPlanJson(requirePlace(job), mending, plan);
  if (json) return void process.stdout.write(`${printable(JSON.stringify(object))}\n`);
  const stream = process.stdout;
  const { corrections } = object;
  const { rows, calls, price } = object.plan;
  const title = `${job.name}: ${counted(corrections.length, 'new correction', 'new corrections')}`;
  const [least, most] = [calls.least, calls.mostIfFull].map((count) => count.toLocaleString('en'));
  const lines = [
    ...sampleDataText(job.service.url),
    styleText('bold', title, { stream }),
    ...correctionLines(corrections).map((line) => `  ${line}`),
    ...(mending ? mendingNotes(mending) : []),
    '',
    `rows to ask for  ${rows.total.toLocaleString('en')}`,
    `calls needed     ${least === most ? least : `${least} to ${most}`}`,
    ...(price ? [`price            ${priceText(price)}`] : []),
  ];
  stream.write(`${lines.join('\n')}\n`);
  process.stderr.write(
    `\nNo call was made and nothing was kept. To do both:\n  ${commandLine(process.argv.slice(2))}\n`,
  );
}

/** Mending keeps its corrections before it finds that no run can stand; a plan of it keeps none. */
async function planMend(job: ResolvedJob, mending: Mending | undefined): Promise<Plan> {
  const corrections = mending && { corrections: mending.kept };
  try {
    return await planJob(job, { clock: systemClock, ...corrections });
  } catch (error) {
    if (!(error instanceof DossierError) || error.code !== 'MEND_NEEDS_RUN') throw error;
    const told =
      'without --dry-run the corrections are kept for the next run, and nothing is asked';
    throw new DossierError(error.code, `${error.message}; ${told}`, { cause: error });
  }
}

function priceText(price: NonNullable<ReturnType<typeof mendPlanJson>['plan']['price']>): string {
  const { currency, least, mostIfFull } = price;
  return formatMoneyRange(currency, toMicros(least) ?? 0, toMicros(mostIfFull) ?? 0);
}

function commandLine(argv: readonly string[]): string {
  const words = argv.filter((word) => word !== '--dry-run');
  return withoutSecrets(['dossier', ...words.map(shellWord)].join(' '));
}
