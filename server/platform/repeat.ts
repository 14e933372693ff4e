import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { outsideWork } from './telemetry/work.ts';

interface Parts {
  config: Pick<Config, 'role'>;
  log: Log;
  closing: Closing;
}

interface Repeated {
  /** Name in the log. */
  name: string;
  everyMs: number;
  /** Whether to run with `ROLE=api`, too. */
  everywhere?: boolean;
  run(): Promise<unknown>;
}

/**
 * Repeats a task until the server closes, which waits for a current run. Runs never overlap. A failed run is logged,
 * and the next one comes as usual. With `ROLE=api` nothing is repeated: workers do it.
 * @returns a function that runs the task now, or joins the current run; it never rejects
 */
export function repeat(
  { config, log, closing }: Parts,
  { name, everyMs, everywhere = false, run }: Repeated,
): () => Promise<void> {
  if (config.role === 'api' && !everywhere) return () => Promise.resolve();
  let running: Promise<void> | undefined;
  const runOnce = (): Promise<void> =>
    (running ??= outsideWork(run)
      .then(
        () => undefined,
        (error: unknown) => log.error({ err: error, task: name }, 'a recurring task failed; it is tried again'),
      )
      .finally(() => (running = undefined)));
  const timer = setInterval(() => void runOnce(), everyMs);
  timer.unref();
  closing.add('jobs', name, async () => {
    clearInterval(timer);
    await running;
  });
  return runOnce;
}
