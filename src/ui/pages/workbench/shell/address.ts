import { useEffect, useState } from 'preact/hooks';

let address = location.hash;

/** The address of the view. `#main` and its like are places in it, and leave it as it is. */
export function viewAddress(): string {
  if (!/^#[a-z]/.test(location.hash)) address = location.hash;
  return address;
}

/** What the address bar holds beside the view: `#/result/leads.yaml?search=acme&row=12`. */
export function paramsAt(hash: string): URLSearchParams {
  const start = hash.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : hash.slice(start + 1));
}

/** A step is what the back button of the browser undoes; anything else replaces the address. */
export function putParams(params: URLSearchParams, { isStep }: { readonly isStep: boolean }): void {
  const [path = ''] = viewAddress().split('?');
  const text = params.toString();
  const hash = `${path || '#'}${text === '' ? '' : `?${text}`}`;
  if (hash === viewAddress()) return;
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  // The browser tells nobody of an address that a script has put.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The address of the view, drawn anew when it changes. */
export function useAddress(): string {
  const [shown, setShown] = useState(viewAddress);
  useEffect(() => {
    const onChange = () => setShown(viewAddress());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return shown;
}

export function useParams(): URLSearchParams {
  return paramsAt(useAddress());
}
