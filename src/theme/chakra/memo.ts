/**
 * In the place of Chakra's own `memo` in the built console. Chakra writes out all of a style, sorted, to look it up, several
 * times for each element; here what a remembered function has returned is known by a number wherever it is passed on, and is
 * not looked into again. Nobody changes such a result: it is shared already.
 */
type Fn = (...args: never[]) => unknown;

/** What one function remembers at most; beyond it begins anew. */
const CAPACITY = 4000;

const numbers = new WeakMap<object, string>();
let count = 0;

function numbered(value: object): string {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  count += 1;
  const number = `#${count}`;
  numbers.set(value, number);
  return number;
}

/** Texts that are the same for equal values only. Strings carry their length, so that none can imitate a separator. */
function keyOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (typeof value === 'function') return numbered(value);
  if (typeof value !== 'object' || value === null) return `${String(value)}${typeof value === 'number' ? 'n' : ''}`;
  const number = numbers.get(value);
  if (number !== undefined) return number;
  if (Array.isArray(value)) {
    let key = '[';
    for (const entry of value as readonly unknown[]) key += `${keyOf(entry)},`;
    return `${key}]`;
  }
  let key = '{';
  for (const [name, entry] of Object.entries(value)) key += `${name}=${keyOf(entry)},`;
  return `${key}}`;
}

/** The function, remembering its results by its arguments; `undefined` is worked out anew. */
export function memo<F extends Fn>(fn: F): F {
  const results = new Map<string, unknown>();
  function remembering(this: unknown, ...args: Parameters<F>): unknown {
    const [first] = args as readonly unknown[];
    let key = args.length === 1 && typeof first === 'string' ? first : '';
    if (args.length !== 1 || typeof first !== 'string') for (const arg of args) key += `${keyOf(arg)}|`;
    let result = results.get(key);
    if (result !== undefined) return result;
    result = fn.apply(this, args);
    if (typeof result === 'object' && result !== null) numbered(result);
    if (results.size >= CAPACITY) results.clear();
    results.set(key, result);
    return result;
  }
  return remembering as F;
}
