/** Runs of random steps; one that fails is told as short as it gets in the time that there is. */
import fc from 'fast-check';
import type { Stride } from './steps.ts';
import { strides } from './strides.ts';
import type { Worlds } from './worlds.ts';

/** How long a run that fails is made shorter, milliseconds. */
export const SHORTEN_MS = 120_000;

interface Walk {
  seed: number;
  /** How many worlds, and how many strides each goes before it comes to its end. */
  runs: number;
  length: number;
  /** The command that does the same again. */
  again: string;
  shortenMs?: number;
}

/** Lets a new world go these strides, and come to its end. @returns how many steps it went @throws Failure */
export async function walk(worlds: Worlds, all: readonly Stride[]): Promise<number> {
  const world = await worlds.create();
  let steps = 0;
  for (const [index, stride] of all.entries()) {
    await world.go(stride).catch((error: unknown) => {
      throw new Failure(all.slice(0, index + 1), error);
    });
    steps += stride.steps.length;
  }
  await world.end().catch((error: unknown) => {
    throw new Failure(all, error);
  });
  return steps;
}

/** What went wrong, and after which strides; at the end of the world after all. */
class Failure extends Error {
  readonly went: readonly Stride[];
  constructor(went: readonly Stride[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'Failure';
    this.went = went;
  }
}

/** @returns how many steps were gone @throws Error that tells a run that fails, a stride a line, and how to do it again */
export async function walkAtRandom(
  worlds: Worlds,
  { seed, runs, length, again, shortenMs = SHORTEN_MS }: Walk,
): Promise<number> {
  let steps = 0;
  let failure: Failure | undefined;
  const result = await fc.check(
    fc.asyncProperty(strides(length), async (all) => {
      try {
        steps += await walk(worlds, all);
      } catch (error) {
        if (error instanceof Failure) failure = error;
        throw error;
      }
    }),
    { seed, numRuns: runs, endOnFailure: true },
  );
  if (!result.failed) return steps;
  if (failure === undefined) throw new Error(`Seed ${seed}: no world.`, { cause: result.errorInstance });
  const shortest = await shorten(worlds, failure, performance.now() + shortenMs);
  const lines = shortest.went.map((stride) => `  ${JSON.stringify(stride)},`);
  throw new Error(
    [
      `Seed ${seed}, after ${steps} steps: ${shortest.message}`,
      `${lines.length} strides, which a case in test/server/money/ledger/seeds.ts can have:`,
      ...lines,
      `Again: LEDGER_SEED=${seed} ${again}`,
    ].join('\n'),
    { cause: shortest.cause },
  );
}

/** Leaves out what it fails without: halves of it, then smaller parts; then each step, and each end of the process. */
async function shorten(worlds: Worlds, failure: Failure, until: number): Promise<Failure> {
  let best = failure;
  const isShorter = async (all: readonly Stride[]): Promise<boolean> => {
    const failed = await walk(worlds, all).then(
      () => undefined,
      (error: unknown) => (error instanceof Failure ? error : undefined),
    );
    // Another failure would be another case.
    if (failed === undefined || kindOf(failed) !== kindOf(failure)) return false;
    best = failed;
    return true;
  };
  for (let part = Math.ceil(best.went.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2))
    for (let from = best.went.length - part; from > -part; from -= part) {
      if (performance.now() > until) return best;
      const [begin, end] = [Math.max(0, from), from + part];
      await isShorter(best.went.filter((_, index) => index < begin || index >= end));
    }
  for (let index = best.went.length - 1; index >= 0; index -= 1)
    for (const simpler of simplerThan(best.went[index])) {
      if (performance.now() > until) return best;
      await isShorter(best.went.map((stride, at) => (at === index ? simpler : stride)));
    }
  return best;
}

/** What a failure is of: its words without names and numbers. */
const kindOf = ({ message }: Failure): string => message.replaceAll(/[\w-]*\d[\w-]*/g, '#').slice(0, 30);

function simplerThan(stride: Stride | undefined): Stride[] {
  if (stride === undefined) return [];
  const { steps, crashAfter } = stride;
  const fewer = steps.length > 1 ? steps.map((_, left) => ({ steps: steps.toSpliced(left, 1), crashAfter })) : [];
  return crashAfter === null ? fewer : [{ steps, crashAfter: null }, ...fewer];
}
