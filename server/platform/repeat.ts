import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { apart } from './telemetry/work.ts';

interface Parts {
  config: Pick<Config, 'role'>;
  log: Log;
  closing: Closing;
}

interface Repeated {
  /** For the log. */
  name: string;
  everyMs: number;
  /** Also where a process only answers. */
  everywhere?: boolean;
  run(): Promise<unknown>;
}

/**
 * Does something again and again until the server closes, which waits for the run under way. Never twice at the same time; a run that
 * fails is logged, and followed by the next one. Where a process only answers (`ROLE=api`), nothing is repeated: workers do.
 * @returns does it now, or joins the run under way; never rejects
 */
export function repeat(
  { config, log, closing }: Parts,
  { name, everyMs, everywhere = false, run }: Repeated,
): () => Promise<void> {
  if (config.role === 'api' && !everywhere) return () => Promise.resolve();
  let running: Promise<void> | undefined;
  const look = (): Promise<void> =>
    (running ??= apart(run)
      .then(
        () => undefined,
        (error: unknown) => log.error({ err: error, task: name }, 'a recurring task failed; it is tried again'),
      )
      .finally(() => (running = undefined)));
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  closing.add('jobs', name, async () => {
    clearInterval(timer);
    await running;
  });
  return look;
}
