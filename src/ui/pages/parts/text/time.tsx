import { localTime, utcTime } from './format.ts';

/** A time on the viewer's clock, with UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}
