import { useEffect, useRef } from 'preact/hooks';
import type { WholeRow } from '../../../../workbench/api/whole-row.ts';
import { count, counted } from '../../../parts/text/format.ts';
import { ask } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { useLoaded } from '../../shell/use-loaded.ts';
import { MendField } from '../mend/mend-field.tsx';
import type { Mending } from '../mend/use-mending.ts';
import { AskedList } from './asked-list.tsx';
import { CompanyFields } from './company-fields.tsx';
import { PeopleList } from './people-list.tsx';
import { RowSummary } from './row-summary.tsx';

interface RowDrawerProps {
  readonly job: string;
  readonly run: string | undefined;
  readonly number: number;
  readonly mending: Mending;
  /** Changes when the row may have: while a run goes on. */
  readonly turn: number;
  /** Raised by one when the drawer is to take the keyboard. */
  readonly focusTurn: number;
  readonly onClose: () => void;
  /** Undefined where there is no such row, or it is not known. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** All that is known of one row. */
export function RowDrawer(props: RowDrawerProps) {
  const { job, run, number, mending, turn, focusTurn, onClose, onPrevious, onNext } = props;
  const title = useRef<HTMLHeadingElement>(null);
  const { value, problem, isLoading, reload } = useLoaded(
    JSON.stringify([job, run, number]),
    (signal) => ask<WholeRow>('row', { query: { job, run, number }, signal }),
  );
  useEffect(() => {
    if (focusTurn > 0) title.current?.focus();
  }, [focusTurn]);
  const isOpenRow = value?.row.status === 'open';
  useEffect(() => {
    if (turn > 0 && isOpenRow) reload();
  }, [turn]);
  const isOther = value?.row.number !== number;
  return (
    <aside
      class="drawer"
      aria-label={`Row ${count(number)}`}
      aria-busy={isLoading}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div class="drawer-bar">
        <h2 ref={title} tabIndex={-1}>
          Row {count(number)}
        </h2>
        <button type="button" disabled={!onPrevious} onClick={onPrevious} aria-label="Previous row">
          ↑
        </button>
        <button type="button" disabled={!onNext} onClick={onNext} aria-label="Next row">
          ↓
        </button>
        <button type="button" onClick={onClose} aria-label="Close">
          ×
        </button>
      </div>
      {problem && <Problem problem={problem} />}
      {isOther && !problem && <p class="none late">Reading the row …</p>}
      {value && !isOther && <Whole row={value} mending={mending} />}
    </aside>
  );
}

function Whole({ row, mending }: { readonly row: WholeRow; readonly mending: Mending }) {
  const { list, asked, company, people } = row;
  return (
    <div class="drawer-body">
      <RowSummary row={row} />
      <Part title="Your list">
        <dl class="fields">
          {list.map(({ header, cell, isCut }, at) => (
            <div key={`${at} ${header}`}>
              <dt>{header || '(no header)'}</dt>
              <dd>
                <MendField {...{ mending, header, cell, isCut }} row={row.row} />
              </dd>
            </div>
          ))}
        </dl>
      </Part>
      {asked.length > 0 && (
        <Part title="Asked and answered">
          <AskedList asked={asked} />
        </Part>
      )}
      {company && <CompanyFields company={company} />}
      {people && (
        <Part title={`People: ${counted(people.total, 'person', 'people')}`}>
          <PeopleList people={people} />
        </Part>
      )}
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly children: preact.ComponentChildren;
}

function Part({ title, children }: PartProps) {
  return (
    <section class="drawer-part" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
