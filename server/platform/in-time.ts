/**
 * Waits for `work`, at most `patienceMs` (which may be Infinity). @returns whether it ended in time
 * @throws its error, if it fails in time
 */
export async function within(patienceMs: number, work: Promise<unknown>): Promise<boolean> {
  if (patienceMs === Infinity) return work.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for `work`, at most `patienceMs`. @returns its result @throws its error, or an error if it takes longer */
export async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  if (await within(patienceMs, work)) return work;
  throw new Error(`No answer within ${patienceMs} ms.`);
}
