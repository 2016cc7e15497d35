import { quote } from '../../runtime/json/json-signs.ts';
import { nowhere, skipString } from '../../runtime/json/skip-json.ts';
import type { Redact } from '../../runtime/log/redact.ts';

/**
 * The text of a body without the key: every string of JSON is redacted as it reads, whatever escapes
 * it is written in, and written anew only where it held the key. All else stays as it is. A body
 * that is no JSON is redacted as text.
 */
export function redactBody(body: Buffer, key: string, redact: Redact): string {
  let clean = '';
  let place = 0;
  for (;;) {
    const start = body.indexOf(quote, place);
    const end = start === -1 ? nowhere : skipString(body, start);
    if (end === nowhere) return clean + redactBetween(body.toString('utf8', place), key, redact);
    clean += redactBetween(body.toString('utf8', place, start), key, redact);
    clean += redactString(body.toString('utf8', start, end), redact);
    place = end;
  }
}

function redactString(json: string, redact: Redact): string {
  const value = json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
  const clean = redact(value);
  return clean === value ? json : JSON.stringify(clean);
}

/** Between strings the key can be a number. In its place only a number leaves JSON readable. */
function redactBetween(text: string, key: string, redact: Redact): string {
  const clean = text.replace(/-?\d[\d.eE+-]*/g, (number) => {
    const isKey = redact(number) !== number || String(Number(number)).includes(key);
    return isKey ? '0' : number;
  });
  return redact(clean);
}
