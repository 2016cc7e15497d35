import type { ListCard } from '../../../workbench/api/lists.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { DropArea } from './drop-area.tsx';
import { Card } from './list-card.tsx';

/** Home: a place to drop a list, and the jobs and lists of the folder. */
export function Lists() {
  const cards = useLoaded('', (signal) => ask<ListCard[]>('lists', { signal }));
  return (
    <>
      <DropArea onDone={cards.reload} />
      {cards.problem && <Problem problem={cards.problem} />}
      {!cards.value && cards.isLoading && <p class="wait">Looking through the folder …</p>}
      {cards.value?.length === 0 && (
        <p class="empty">
          There is no list in this folder yet. One that you drop, or copy into it, appears here.
        </p>
      )}
      <ul class="cards" aria-label="Jobs and lists of this folder">
        {cards.value?.map((card) => (
          <Card key={card.path} card={card} />
        ))}
      </ul>
    </>
  );
}
