import {
  columnLines,
  columnsHeading,
  type JobDraft,
  keyHints,
  scalar,
  shareWords,
  sureLine,
  unsureLine,
} from './draft-job.ts';

type Findings = Pick<JobDraft, 'facts' | 'rowsSeen' | 'columns' | 'isSure' | 'key'>;

const share = / # \d+% of its values are good$/;

/** Whether comments of a draft say what its list holds. */
export function tellsFindings(text: string): boolean {
  return text.split('\n').some((line) => line.startsWith(columnsHeading) || share.test(line));
}

/** What the comments of a draft say of its list, for a list that is read in another way since. */
export function redraftFindings(text: string, findings: Findings): string {
  const { columns, isSure, key } = findings;
  const shareOf = (line: string) =>
    columns.identify.find(({ column }) => line.trim() === `- column: ${scalar(column)}`)?.share;
  let isInColumns = false;
  const lines = text.split('\n').flatMap((line) => {
    if (line.startsWith(columnsHeading)) {
      isInColumns = true;
      return columnLines(findings);
    }
    isInColumns &&= line.startsWith('#   ');
    if (isInColumns) return [];
    if (line === sureLine || line === unsureLine) return [isSure ? sureLine : unsureLine];
    if (key !== undefined && keyHints.some((hint) => hint.trim() === line.trim())) return [];
    if (!share.test(line)) return [line];
    const column = line.replace(share, '');
    const now = shareOf(column);
    return [now === undefined ? column : `${column} # ${shareWords(now)}`];
  });
  return lines.join('\n');
}
