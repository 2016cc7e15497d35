import { useState } from 'preact/hooks';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import type { RunPlan } from '../../../workbench/api/answers.ts';
import { request } from '../../parts/api.ts';
import { Button, Form, Problem, Select } from '../../parts/controls.tsx';
import { currentOf, useAttempt, useRequest } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
import { SpendButton } from '../spend.tsx';
import { changeChoice } from './use-choice.ts';
import type { Fixing } from './use-fixing.ts';
import type { Table } from './use-table.ts';

/** A plan is a process, so several corrections in a row share one. */
const planAfterMs = 1_000;

export function FixBar(table: Table) {
  const { fixing, isRunning, focusGrid } = table;
  const { job, waiting, refused, selected, isOn, undo } = fixing;
  const { problem: refusal, isBusy, attempt } = useAttempt();
  const isPriced = waiting.length > 0 && !isRunning;
  const query = isPriced ? { job, of: 'fixes' } : null;
  const price = useRequest<RunPlan>('plan', query, waiting, undefined, planAfterMs);
  const plan = currentOf(price);
  const problem = refusal ?? price.problem ?? fixing.problem;
  if (waiting.length === 0 && !isOn && !problem) return null;
  const rows = plan?.rows.total ?? new Set(waiting.map(({ key }) => key)).size;
  const lookUp = (atMost: object) =>
    attempt(() => request('run', { query: { job }, body: { atMost, of: 'fixes' } }));
  return (
    <section class="fix-bar stack" aria-label="Fix">
      {isOn && <SetForAll {...fixing} />}
      <div class="row between">
        <p role="status">
          {fixing.note ||
            (waiting.length > 0
              ? `${counted(waiting.length, 'cell')} corrected and saved, but not looked up yet.`
              : isOn && selected.size === 0 && [verdictOf(table), howTo(table)].join(' '))}
          {isOn &&
            refused.size > 0 &&
            ` ${counted(refused.size, 'refused value is', 'refused values are')} marked and not saved.`}
        </p>
        <div class="row">
          {isOn && (
            <Button
              class={waiting.length === 0 ? 'primary' : undefined}
              onClick={() => {
                changeChoice({ isFixing: false });
                focusGrid();
              }}
            >
              Done
            </Button>
          )}
          {undo && (
            <Button
              disabled={isBusy}
              onClick={() => {
                undo();
                focusGrid();
              }}
            >
              Undo
            </Button>
          )}
          {isPriced && (
            <SpendButton
              words={`Look up again: ${counted(rows, 'row')}`}
              {...{ plan, isOff: isBusy, isPrimary: true }}
              onStart={lookUp}
            />
          )}
        </div>
      </div>
      <Problem of={problem} />
      {problem?.code === 'FIX_NEEDS_RUN' && (
        <p>
          <a href={linkTo({ view: 'read', job })}>See what a run costs</a>
        </p>
      )}
    </section>
  );
}

function howTo({ page }: Table) {
  return page?.rows.some(({ suggestions }) => suggestions)
    ? 'Click a suggested company, or type into a cell. With the keyboard: Tab, arrow keys, Enter.'
    : 'Type into a cell and press Enter to move down, or paste a column to fill the cells below.';
}

/** What the corrections of the rows in sight have brought. */
function verdictOf({ fixing: { fixes }, page, isRunning }: Table) {
  const keys = new Set(fixes.corrections.map(({ key }) => key));
  const rows = page?.rows.filter(({ key }) => keys.has(key)) ?? [];
  if (rows.length === 0) return '';
  if (isRunning) return `Looking up ${counted(rows.length, 'corrected row')} …`;
  const found = rows.filter(({ status }) => status === 'matched').length;
  const missed = rows.length - found;
  const rest = missed > 0 && `${formatNumber(missed)} still without a company`;
  const parts = [found > 0 && `${formatNumber(found)} found`, rest].filter(Boolean).join(', ');
  return `${counted(rows.length, 'corrected row')} looked up: ${parts}.`;
}

function SetForAll({ fixes, rows = [], selected, select, fill }: Fixing) {
  const [chosen, setChosen] = useState('');
  const header = chosen || fixes.columns[0]?.header || '';
  const isAll = selected.size === rows.length;
  if (selected.size === 0) return null;
  return (
    <Form
      class="row between"
      onSend={(value) => fill([...selected].map((number) => ({ number, header, value })))}
    >
      <p>
        {counted(selected.size, 'row')} selected{' '}
        <Button class="plain" onClick={() => select(isAll ? [] : rows)}>
          {isAll ? 'Select none' : `Select all ${formatNumber(rows.length)}`}
        </Button>
      </p>
      <div class="row">
        <Select
          label="Set"
          value={header}
          options={fixes.columns.map((column) => [column.header, column.header])}
          onSet={setChosen}
        />
        <label>
          to <input type="text" name="value" aria-label="Value for all selected rows" />
        </label>
        <button type="submit">Set in {counted(selected.size, 'row')}</button>
      </div>
    </Form>
  );
}
