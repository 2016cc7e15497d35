import { DossierError } from '../errors.ts';
import { keepSecret } from '../runtime/log/known-secrets.ts';
import { type Environment, expandVariables } from './file/expand-variables.ts';

/**
 * An address that is a secret, as the job has it: whoever knows it can post to it. It does not appear
 * when the job is logged or written as JSON.
 */
export interface SecretAddress {
  /** Fills in variables. Undefined where these leave nothing, as `${SLACK_WEBHOOK:-}` may. */
  reveal(env: Environment): URL | undefined;
}

/** `field` names the address in messages, which never show it. */
export function secretAddress(written: string, field: string): SecretAddress {
  return {
    reveal(env) {
      const expansion = expandVariables(written, env);
      if ('problem' in expansion) {
        throw new DossierError('JOB_INVALID', `${field}: ${expansion.problem}`);
      }
      const text = expansion.text.trim();
      if (text === '') return undefined;
      guard(text);
      if (!isHttpAddress(text)) {
        throw new DossierError('JOB_INVALID', `${field} holds no http(s) address`);
      }
      return new URL(text);
    },
  };
}

/** An address, or a text whose variables will make one. */
export function isAddressOrVariable(written: string): boolean {
  return written.includes('${') || isHttpAddress(written);
}

function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Parts of an address that are shorter could be a word of any message. */
const leastPartLength = 8;

/** Keeps an address out of whatever is printed: as a whole, and the parts of it that look like a token. */
function guard(text: string): void {
  keepSecret(text);
  if (!URL.canParse(text)) return;
  const { pathname, search, searchParams, username, password } = new URL(text);
  const path = `${pathname}${search}`;
  if (path.length >= leastPartLength) keepSecret(path);
  const parts = [...pathname.split('/'), ...searchParams.values(), username, password];
  // A token has a digit nearly always; `services` and `webhooks` have none.
  const tokens = parts.filter((part) => part.length >= leastPartLength && /\d/.test(part));
  for (const token of tokens) keepSecret(token);
}
