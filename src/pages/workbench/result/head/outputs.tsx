import type { RunProgress } from '../../../../workbench/api/job-state.ts';
import type { RunOutputs } from '../../../../workbench/api/outputs.ts';
import { bytes, counted } from '../../../parts/text/format.ts';
import { apiUrl, ask } from '../../shell/api.ts';
import { useLoaded } from '../../shell/use-loaded.ts';

interface OutputsProps {
  readonly job: string;
  readonly run: RunProgress;
}

/** Where the files of the run are, and its report. */
export function Outputs({ job, run: { run } }: OutputsProps) {
  const key = [job, run.id, run.state, run.held.length].join('\n');
  const { value } = useLoaded(key, (signal) =>
    ask<RunOutputs>('outputs', { query: { job, run: run.id }, signal }),
  );
  if (!value?.folder && !value?.otherPlaces.length) return null;
  const { folder, files, hasReport, otherPlaces } = value;
  return (
    <details class="outputs">
      <summary>
        <span>
          {folder ? (
            <>
              {counted(files.length, 'file', 'files')} in <code>{folder}</code>
            </>
          ) : (
            'Places of the result'
          )}
        </span>
      </summary>
      <ul>
        {hasReport && (
          <li>
            <a href={apiUrl('report', { job, run: run.id })} target="_blank" rel="noreferrer">
              report.html
            </a>{' '}
            <small>opens in a tab of its own</small>
          </li>
        )}
        {files.map(({ name, rows, bytes: size }) => (
          <li key={name}>
            <code>{name}</code>{' '}
            <small>
              {counted(rows, 'row', 'rows')}, {bytes(size)}
            </small>
          </li>
        ))}
        {otherPlaces.map((place) => (
          <li key={place}>
            <small>{folder ? 'the job also brings it to' : 'the job brings it to'}</small>{' '}
            <code>{place}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
