import { useAddress } from './address.ts';

/** Where the user is. The address bar names it, so that reload and back work. */
export type Route =
  | { readonly view: 'lists' }
  | { readonly view: 'read'; readonly job: string }
  | { readonly view: 'result'; readonly job: string; readonly run?: string }
  | { readonly view: 'history' | 'settings'; readonly job?: string };

/** `jobs/leads.yaml → leads`, `leads.csv → leads.csv`: what people call a list. */
export function titleOf(job: string): string {
  return (job.split('/').at(-1) ?? job).replace(/\.ya?ml$/i, '');
}

/** `#/result/leads.yaml/r7` and its like; the path of a job is one encoded word. */
export function linkTo(route: Route): string {
  const words: string[] = route.view === 'lists' ? [] : [route.view];
  if ('job' in route && route.job !== undefined) words.push(route.job);
  if ('run' in route && route.run !== undefined) words.push(route.run);
  return `#/${words.map(encodeURIComponent).join('/')}`;
}

function routeAt(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view, job, run] = path.split('/').map(decode);
  if (view === 'history' || view === 'settings') return { view, ...(job && { job }) };
  if (view === 'read' && job) return { view, job };
  if (view === 'result' && job) return { view, job, ...(run && { run }) };
  return { view: 'lists' };
}

/** What a user has typed may be no encoded word. */
function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

export function goTo(route: Route): void {
  location.hash = linkTo(route);
}

/** The same place under another name: going back must not lead to the old one. */
export function renameRoute(route: Route): void {
  location.replace(linkTo(route));
}

export function useRoute(): Route {
  return routeAt(useAddress());
}
