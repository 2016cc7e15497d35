import { useEffect, useRef, useState } from 'preact/hooks';
import type { MadeJob } from '../../../workbench/api/lists.ts';
import { bytes } from '../../parts/text/format.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { goTo } from '../shell/route.ts';

/** Where a list becomes a job: dropped, or chosen with a button. */
export function DropArea({ onDone }: { onDone(): void }) {
  const [coming, setComing] = useState<File>();
  const [problem, setProblem] = useState<ApiProblem>();
  const input = useRef<HTMLInputElement>(null);

  const take = async (files: readonly File[]) => {
    setProblem(undefined);
    try {
      let made: MadeJob | undefined;
      for (const file of files) {
        setComing(file);
        made = await ask<MadeJob>('lists', {
          method: 'POST',
          query: { name: file.name },
          body: file,
        });
      }
      onDone();
      if (made && files.length === 1) goTo({ view: 'read', job: made.job });
    } catch (error) {
      setProblem(problemOf(error));
    }
    setComing(undefined);
    if (input.current) input.current.value = '';
  };
  const isOver = useDrop((files) => void take(files));
  return (
    <section aria-labelledby="drop-title">
      <div class={isOver ? 'drop drop-over' : 'drop'}>
        <h1 id="drop-title">Drop a list here</h1>
        <p class="formats">
          Excel (.xlsx), CSV, TSV, JSON, JSON lines or Parquet, also as .gz or .zst. It stays in
          this folder.
        </p>
        <button
          type="button"
          class="primary"
          disabled={coming !== undefined}
          onClick={() => input.current?.click()}
        >
          Choose a file
        </button>
        <input
          ref={input}
          class="unseen"
          type="file"
          aria-label="A list of companies"
          tabIndex={-1}
          multiple
          onChange={({ currentTarget }) => void take([...(currentTarget.files ?? [])])}
        />
        <p role="status" class="coming">
          {coming ? `Reading ${coming.name}, ${bytes(coming.size)} …` : ''}
        </p>
      </div>
      {problem && <Problem problem={problem} />}
    </section>
  );
}

/** Files may be dropped anywhere: one that missed the area would replace the page. */
function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => setIsOver(relatedTarget !== null);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) take.current(files);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
