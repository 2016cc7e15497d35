/** A bound that the result of a run has to keep. */
export interface Expectation {
  /** `matchRate` */
  readonly name: 'rows' | 'matchRate' | 'matchRateDrop' | 'rowsDrop' | 'failed';
  /** As people write it: `>= 60%`. */
  readonly text: string;
  readonly comparison: '>=' | '>' | '<=' | '<';
  readonly limit: number;
  readonly unit: 'percent' | 'rows';
}

/** An expectation that was not met. */
export interface Breach {
  readonly expectation: Expectation['name'] | 'history';
  /** `>= 60%` */
  readonly expected: string;
  /** `12%` */
  readonly found: string;
  /** Both in a sentence, with the difference. */
  readonly message: string;
}

/** What came out of a run, and what came out before. */
export interface RunFigures {
  readonly rows: number;
  readonly matched: number;
  readonly failed: number;
  /** Published complete runs of the job before this one; undefined where there is none. */
  readonly history: History | undefined;
  readonly askedAnew: AskedAnew;
}

export interface History {
  readonly last: { readonly run: string; readonly rows: number; readonly matched: number };
  /** Of all these runs: rows with a company, and rows that were asked for. */
  readonly matched: number;
  readonly asked: number;
}

/** Rows whose answer was called by the run, without those that failed. */
export interface AskedAnew {
  readonly rows: number;
  readonly matched: number;
  /** Rows whose call had brought a company before. */
  readonly hadCompany: number;
  /** Rows whose call was never answered before. */
  readonly isNew: number;
}

/** The expectation that is always there holds from this many rows on. */
const fewestRowsAnew = 100;
const mostPointsBelowHistory = 30;

/** Finds what a result was expected to be and is not. Drops are met where nothing was published before. */
export function findBreaches(expectations: readonly Expectation[], figures: RunFigures): Breach[] {
  const broken = expectations.flatMap((expectation) => {
    const measured = measure(expectation, figures);
    return measured && !isMet(expectation, measured.value) ? [breachOf(expectation, measured)] : [];
  });
  return [...broken, ...fallBelowHistory(figures)];
}

interface Measured {
  readonly value: number;
  /** What the value was made of. */
  readonly details?: string;
}

function measure({ name, unit }: Expectation, figures: RunFigures): Measured | undefined {
  const { rows, matched, failed, history } = figures;
  switch (name) {
    case 'rows':
      return { value: rows };
    case 'matchRate':
      return { value: percent(matched, rows), details: `${shown(matched)} of ${rowsOf(rows)}` };
    case 'failed':
      return unit === 'rows'
        ? { value: failed }
        : { value: percent(failed, rows), details: `${shown(failed)} of ${rowsOf(rows)}` };
    case 'matchRateDrop': {
      if (!history) return undefined;
      const { last } = history;
      const [before, now] = [percent(last.matched, last.rows), percent(matched, rows)];
      const details = `from ${shown(before)}% in ${last.run} to ${shown(now)}%`;
      return { value: rounded(before - now), details };
    }
    case 'rowsDrop': {
      if (!history) return undefined;
      const { last } = history;
      const fewer = last.rows - rows;
      const details = `from ${rowsOf(last.rows)} in ${last.run} to ${shown(rows)}`;
      return { value: unit === 'rows' ? fewer : percent(fewer, last.rows), details };
    }
  }
}

function isMet({ comparison, limit }: Expectation, value: number): boolean {
  switch (comparison) {
    case '>=':
      return value >= limit;
    case '>':
      return value > limit;
    case '<=':
      return value <= limit;
    case '<':
      return value < limit;
  }
}

function breachOf(
  { name, text, comparison, limit, unit }: Expectation,
  { value, details }: Measured,
): Breach {
  const found = unit === 'percent' ? `${shown(value)}%` : rowsOf(value);
  const distance = rounded(Math.abs(limit - value));
  const by = unit === 'percent' ? `${shown(distance)} points` : shown(distance);
  const side = comparison.startsWith('>') ? 'below' : 'above';
  const made = details === undefined ? '' : ` (${details})`;
  const message = `${name}: ${found}${made}, ${by} ${side} the expected ${text}`;
  return { expectation: name, expected: text, found, message };
}

/**
 * The expectation that is always there. Rows that are asked anew are often those that had found nothing
 * before, so each is compared with what its own call had brought; the rate of earlier runs stands for
 * rows that are new.
 */
function fallBelowHistory({ history, askedAnew }: RunFigures): Breach[] {
  const { rows, matched, hadCompany, isNew } = askedAnew;
  if (!history || rows < fewestRowsAnew) return [];
  const ofNew = history.asked === 0 ? 0 : (isNew * history.matched) / history.asked;
  const before = percent(hadCompany + ofNew, rows);
  const now = percent(matched, rows);
  const fall = rounded(before - now);
  if (fall <= mostPointsBelowHistory) return [];
  const least = rounded(before - mostPointsBelowHistory);
  const expected = `>= ${shown(least)}%`;
  const message = `history: ${shown(now)}% of ${rowsOf(rows)} asked anew have a company, ${shown(fall)} points below the ${shown(before)}% of earlier runs; ${mostPointsBelowHistory} points are tolerated`;
  return [{ expectation: 'history', expected, found: `${shown(now)}%`, message }];
}

/** Nothing of nothing is nothing: an empty list has no company. */
function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : rounded((100 * part) / whole);
}

/** Shares differ by less than this only where two floating-point numbers do: 66.7 - 56.7 is 10. */
function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

function rowsOf(count: number): string {
  return `${shown(count)} ${count === 1 ? 'row' : 'rows'}`;
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}
