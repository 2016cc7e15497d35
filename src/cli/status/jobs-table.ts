import { styleText } from 'node:util';
import type { JobStatus } from '../../overview/status/status-json.ts';
import type { RunFacts } from '../../sinks/manifest.ts';
import { shortened } from '../terminal/text.ts';
import { stateColors } from './state-colors.ts';

interface TableColumn {
  readonly title: string;
  readonly isNumber: boolean;
  cell(run: RunFacts): string;
}

const number = (title: string, read: (run: RunFacts) => number): TableColumn => ({
  title,
  isNumber: true,
  cell: (run) => read(run).toLocaleString('en'),
});

const text = (title: string, cell: (run: RunFacts) => string): TableColumn => ({
  title,
  isNumber: false,
  cell,
});

/** Columns about the newest run of a job; the job's name stands before them. */
const columns: readonly TableColumn[] = [
  text('state', ({ state }) => state),
  number('rows', ({ rows }) => rows.total),
  number('matched', ({ rows }) => rows.matched),
  number('open', ({ rows }) => rows.open),
  number('calls', ({ calls }) => calls.made),
  text('started, UTC', ({ startedAt }) => startedAt.slice(0, 16).replace('T', ' ')),
];

const gap = '  ';

/** One line for each job; long names are cut to the width. */
export function jobsTable(
  jobs: readonly JobStatus[],
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  const newest = jobs.flatMap(({ job, runs: [run] }) => (run ? [{ job, run }] : []));
  if (newest.length === 0) return [];
  const widths = columns.map(({ title, cell }) =>
    Math.max(title.length, ...newest.map(({ run }) => cell(run).length)),
  );
  const taken = widths.reduce((sum, columnWidth) => sum + gap.length + columnWidth, 0);
  const longest = Math.max(3, ...newest.map(({ job }) => job.length));
  const nameWidth = Math.min(longest, Math.max(12, width - taken));
  const line = (name: string, cells: readonly string[]) =>
    [shortened(name, nameWidth).padEnd(nameWidth), ...cells].join(gap).trimEnd();
  const aligned = (cell: string, index: number) => {
    const columnWidth = widths[index] ?? 0;
    return columns[index]?.isNumber ? cell.padStart(columnWidth) : cell.padEnd(columnWidth);
  };

  const titles = columns.map(({ title }, index) => aligned(title, index));
  return [
    styleText('bold', line('job', titles), { stream }),
    ...newest.map(({ job, run }) =>
      line(
        job,
        columns.map(({ cell }, index) => {
          const shown = aligned(cell(run), index);
          return columns[index]?.title === 'state'
            ? styleText(stateColors[run.state], shown, { stream })
            : shown;
        }),
      ),
    ),
  ];
}
