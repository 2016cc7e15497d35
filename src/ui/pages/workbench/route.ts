import { useEffect, useState } from 'preact/hooks';

/** Where the user is. The address bar names it, so reload and back work. */
export type Route =
  | { readonly view: 'lists' }
  | { readonly view: 'read'; readonly job: string }
  | { readonly view: 'result'; readonly job: string; readonly run?: string }
  | { readonly view: 'history' | 'settings'; readonly job?: string };

let address = '';

/** The address of the view. `#main` and its like are positions in it, and leave it as it is. */
function viewAddress(): string {
  if (!/^#[a-z]/.test(location.hash)) address = location.hash;
  return address;
}

/** The address of the view, drawn anew when it changes. */
function useAddress(): string {
  const [shown, setShown] = useState(viewAddress);
  useEffect(() => {
    const onChange = () => setShown(viewAddress());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return shown;
}

/** What the address bar holds beside the view: `#/result/leads.yaml?search=acme&row=12`. */
export function currentParams(hash = viewAddress()): URLSearchParams {
  return new URLSearchParams(hash.split('?').slice(1).join('?'));
}

export function useParams(): URLSearchParams {
  return currentParams(useAddress());
}

/** A step is what the back button of the browser undoes; anything else replaces the address. */
export function putParams(params: URLSearchParams, isStep: boolean): void {
  const [path] = viewAddress().split('?');
  const hash = `${path || '#'}${params.size === 0 ? '' : `?${params}`}`;
  if (hash === viewAddress()) return;
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  // The browser sends no event for an address that a script has put.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

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

export function useRoute(): Route {
  const [path = ''] = useAddress().replace(/^#\/?/, '').split('?');
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
