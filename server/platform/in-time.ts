/** Waits for something, but not for long; without end where that is Infinity. @returns whether it came in time @throws what it fails with in time */
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

/** Waits for something, but not for long. @throws what it fails with, or that no answer came */
export async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  if (await within(patienceMs, work)) return work;
  throw new Error(`No answer within ${patienceMs} ms.`);
}
