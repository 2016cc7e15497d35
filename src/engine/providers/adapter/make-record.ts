import { Company } from '../../../core/contract/company.ts';
import { isRecord } from '../../../core/values/parse-json.ts';
import type { AdapterDefinition, FieldRule } from './definition.ts';
import { isEmpty, partsOf, valueAt } from './paths.ts';

type Json = Record<string, unknown>;

/** The value of one of our fields, and the paths that it came from or that are empty. */
export function readField({ paths, joinedBy }: FieldRule, theirs: unknown) {
  const read = paths.map((path) => ({ path, value: valueAt(theirs, partsOf(path)) }));
  const found = read.filter(({ value }) => !isEmpty(value));
  const used = joinedBy === undefined ? found.slice(0, 1) : found.filter(isText);
  const values = used.map(({ value }) => value);
  const isJoined = joinedBy !== undefined && values.length > 0;
  return {
    value: isJoined ? values.join(joinedBy) : values[0],
    used: read.filter((one) => used.includes(one) || isEmpty(one.value)).map(({ path }) => path),
  };
}

/** An object has no text. It stays among the values without a column. */
function isText({ value }: { readonly value: unknown }) {
  return typeof value !== 'object';
}

/** The company in our fields. What no field takes stays, because it was paid for. */
export function makeRecord({ name, record, fields }: AdapterDefinition) {
  const place = partsOf(record);
  const rules = Object.entries(fields).map(([field, rule]) => ({ parts: partsOf(field), rule }));
  return (body: unknown): unknown => {
    const theirs = valueAt(body, place);
    if (!isRecord(theirs)) return body;
    const read = rules.map(({ parts, rule }) => ({ parts, ...readField(rule, theirs) }));
    const ours: Json = {};
    const left = without(theirs, read.flatMap(({ used }) => used).map(partsOf));
    for (const [key, value] of Object.entries(left ?? {})) {
      // Their `size` may not mean our `size`.
      ours[Object.hasOwn(Company.shape, key) ? `${name}_${key}` : key] = value;
    }
    for (const { parts, value } of read) if (value !== undefined) put(ours, parts, value);
    return ours;
  };
}

function put(holder: Json, [first = '', ...others]: readonly string[], value: unknown) {
  if (others.length === 0) {
    holder[first] = value;
    return;
  }
  holder[first] ??= {};
  put(holder[first] as Json, others, value);
}

/** A list stays whole: its other elements would move. */
function without(value: unknown, paths: readonly (readonly string[])[]): Json | undefined {
  if (!isRecord(value)) return undefined;
  const left: Json = {};
  for (const [key, inside] of Object.entries(value)) {
    const below = paths.filter(([first]) => first === key).map(([, ...others]) => others);
    if (below.some((parts) => parts.length === 0)) continue;
    const rest = below.length > 0 && isRecord(inside) ? without(inside, below) : inside;
    if (below.length === 0 || !isEmpty(rest)) left[key] = rest;
  }
  return left;
}
