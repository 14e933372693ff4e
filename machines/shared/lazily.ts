/** Makes something when it is first asked for, such as a formatter of `Intl`: each costs a start some milliseconds. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
