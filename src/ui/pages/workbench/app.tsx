import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FolderState, ListCard, Upgraded } from '../../workbench/api/answers.ts';
import { type ApiProblem, request } from '../parts/api.ts';
import { Button, Problem } from '../parts/controls.tsx';
import { reloadViews, useAttempt, useLoaded, useRequest } from '../parts/load.ts';
import { Brand } from '../parts/text.tsx';
import { History } from './history.tsx';
import { Lists } from './lists.tsx';
import { Read } from './read/read.tsx';
import { Result } from './result/result.tsx';
import { linkTo, type Route, titleOf, useRoute } from './route.ts';
import { SettingsView } from './settings.tsx';

const viewNames: Readonly<Record<Route['view'], string>> = {
  lists: 'Lists',
  read: 'Read',
  result: 'Result',
  history: 'History',
  settings: 'Settings',
};
const views = Object.keys(viewNames) as Route['view'][];

export function App() {
  const route = useRoute();
  const job = 'job' in route ? route.job : undefined;
  const { value: folder, problem, reload } = useFolder(job);
  const isFolder = job === undefined && folder !== undefined && !folder.outdated;
  const cards = useRequest<ListCard[]>('lists', isFolder ? {} : null);
  const isSample =
    folder?.isSample &&
    !(route.view === 'result' && folder.isLastReal) &&
    (job !== undefined || cards.value?.every((card) => card.isSample));
  const [upgraded, setUpgraded] = useState<string>();
  const title = job === undefined ? undefined : titleOf(job);
  const viewTitle = [title, viewNames[route.view], 'Dossier'].filter(Boolean).join(' · ');
  useLayoutEffect(() => {
    document.title = viewTitle;
    document.documentElement.dataset.theme = folder?.theme ?? 'auto';
  }, [viewTitle, folder?.theme]);
  const isOpen = (view: Route['view']) =>
    job !== undefined || (view !== 'result' && view !== 'read');
  return (
    <>
      <Skip to="main" name="Skip to the view" />
      {route.view === 'read' && <Skip to="run" name="Skip to Run" />}
      <header>
        <div class="band row">
          <Brand />
          {title !== undefined && (
            <p class="list-name text" title={title}>
              <bdi>{title}</bdi>
            </p>
          )}
          <nav aria-label="Views">
            {views.filter(isOpen).map((view) => (
              <a
                key={view}
                href={linkTo({ view, job })}
                aria-current={route.view === view ? 'page' : undefined}
              >
                {viewNames[view]}
              </a>
            ))}
          </nav>
        </div>
        {isSample && (
          <p class="sample-line" role="note">
            <b>Sample data</b>: free and offline. These are not your companies.{' '}
            {job !== undefined && route.view !== 'settings' && (
              <a href={linkTo({ view: 'settings', job })}>Use your own service</a>
            )}
          </p>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        <Problem of={problem} />
        {/* A view waits for the folder's stamp, so any change to files after that reloads the view. */}
        {upgraded && (
          <p role="status" class="note">
            {upgraded}
          </p>
        )}
        {folder?.outdated ? (
          <Outdated
            problem={folder.outdated}
            job={job}
            onDone={(words) => {
              setUpgraded(words);
              reload();
            }}
          />
        ) : (
          folder?.of === job && folder && <View {...route} />
        )}
      </main>
    </>
  );
}

function Outdated(props: {
  problem: ApiProblem;
  job: string | undefined;
  onDone(words: string): void;
}) {
  const { problem: refusal, isBusy, attempt } = useAttempt();
  const upgrade = async () => {
    const query = { job: props.job };
    const { copy } = await request<Upgraded>('upgrade', { method: 'POST', query });
    props.onDone(copy === null ? '' : `The ledger was upgraded. A copy of it as it was: ${copy}`);
  };
  return (
    <div class="view stack">
      <Problem of={props.problem} />
      <div class="row">
        <Button class="primary" disabled={isBusy} onClick={() => attempt(upgrade)}>
          Upgrade the ledger
        </Button>
      </div>
      <Problem of={refusal} />
    </div>
  );
}

function useFolder(job: string | undefined) {
  const loaded = useLoaded(
    `folder ${job}`,
    async (signal) => ({
      ...(await request<FolderState>('folder', { query: { job }, signal })),
      of: job,
    }),
    () => !document.hidden && 2_000,
  );
  useEffect(() => document.addEventListener('visibilitychange', loaded.reload), []);
  const { value, problem } = loaded;
  const before = useRef<typeof value>(undefined);
  // Views also reload after an error: files may have changed while the server was away.
  useEffect(() => {
    if (value && !problem && before.current?.of === value.of) reloadViews(value.stamp);
    before.current = value;
    // The list was renamed or got a job file, so its URL changes.
    if (value?.job && value.of && value.job !== value.of) {
      const [from, to] = [value.of, value.job].map(encodeURIComponent);
      location.replace(location.hash.replace(from ?? '', to ?? ''));
    }
  }, [value, problem !== undefined]);
  return loaded;
}

/** The part of the URL after `#` names the view, so the link only moves the focus. */
function Skip({ to, name }: { to: string; name: string }) {
  return (
    <a
      class="skip"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(to)?.focus();
      }}
    >
      {name}
    </a>
  );
}

function View(route: Route) {
  switch (route.view) {
    case 'read':
      return <Read job={route.job} />;
    case 'history':
      return <History job={route.job} />;
    case 'result':
      return <Result key={route.job} {...route} />;
    case 'settings':
      return <SettingsView job={route.job} />;
    default:
      return <Lists />;
  }
}
