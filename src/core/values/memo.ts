/** Makes the value of each key once. */
export function memo<Key, Value>(make: (key: Key) => Value) {
  const made = new Map<Key, Value>();
  const get = (key: Key): Value => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
  return Object.assign(get, { clear: () => made.clear() });
}
