import type { Closing } from '../closing.ts';
import type { Config } from '../config.ts';
import { JobWorker, type WorkerOptions } from './worker.ts';

/** Kinds of jobs that share a worker and its concurrency. */
export type JobKinds = Omit<WorkerOptions, 'database' | 'clock' | 'log' | 'meters' | 'tracer'>;

/** Options that tests set for all kinds. */
export type JobTimes = Partial<Pick<WorkerOptions, 'leaseMs' | 'pollMs' | 'maxAttempts' | 'backoffMs'>>;

export interface JobParts extends Pick<WorkerOptions, 'database' | 'clock' | 'log' | 'meters' | 'tracer'> {
  config: Pick<Config, 'role'>;
  closing: Closing;
}

/** Starts a worker for these kinds, which stops with the server. Does nothing with `ROLE=api`. */
export async function startJobs(
  { config, database, clock, log, closing, meters, tracer }: JobParts,
  kinds: JobKinds,
  times: JobTimes = {},
): Promise<void> {
  if (config.role === 'api') return;
  const worker = new JobWorker({ database, clock, log, meters, tracer, ...kinds, ...times });
  await worker.start();
  // Stop before draining, so that other processes get the jobs while streams and requests end.
  for (const phase of ['drain', 'jobs'] as const)
    closing.add(phase, `jobs: ${Object.keys(kinds.handlers).join()}`, () => worker.stop());
}
