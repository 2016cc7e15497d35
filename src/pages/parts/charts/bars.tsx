import type { RankedName, Ranking } from '../../../report/data/insight-data.ts';
import { count, counted, percent } from '../text/format.ts';

interface BarsProps {
  readonly title: string;
  readonly entries: readonly RankedName[];
  /** The number that is 100%. */
  readonly whole: number;
  readonly note?: string | undefined;
}

/** A bar chart as a list: a screen reader gets names and counts as text. */
export function Bars({ title, entries, whole, note }: BarsProps) {
  const longest = Math.max(1, ...entries.map((entry) => entry.count));
  return (
    <div class="card">
      <h3>{title}</h3>
      {entries.length === 0 ? (
        <p class="empty">Nothing is known.</p>
      ) : (
        <ol class="bars">
          {entries.map((entry) => (
            <li key={entry.name}>
              <span class="name" title={entry.name}>
                {entry.name}
              </span>
              <span class="figures">
                <b>{count(entry.count)}</b> <small>{percent(entry.count, whole)}</small>
              </span>
              <span class="track" aria-hidden="true">
                {entry.count > 0 && <span style={{ width: `${(entry.count / longest) * 100}%` }} />}
              </span>
            </li>
          ))}
        </ol>
      )}
      {note && <p class="note">{note}</p>}
    </div>
  );
}

/** `and 14 others, 120 times in all` */
export function othersNote({ otherNames, otherCount }: Ranking): string | undefined {
  if (otherCount === 0) return undefined;
  const names = otherNames === 0 ? 'others' : counted(otherNames, 'other', 'others');
  return `and ${names}, ${counted(otherCount, 'time', 'times')} in all`;
}
