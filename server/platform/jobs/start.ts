import type { Closing } from '../closing.ts';
import type { Config } from '../config.ts';
import { JobWorker, type WorkerOptions } from './worker.ts';

/** Jobs that share their places, apart from all others. */
export type JobKinds = Omit<WorkerOptions, 'database' | 'clock' | 'log' | 'meters' | 'tracer'>;

/** What tests set for all kinds. */
export type JobTimes = Partial<Pick<WorkerOptions, 'leaseMs' | 'pollMs' | 'maxAttempts' | 'backoffMs'>>;

export interface JobParts extends Pick<WorkerOptions, 'database' | 'clock' | 'log' | 'meters' | 'tracer'> {
  config: Pick<Config, 'role'>;
  closing: Closing;
}

/** Starts a worker for these jobs, which stops with the server; none where a process only answers (`ROLE=api`). */
export async function startJobs(
  { config, database, clock, log, closing, meters, tracer }: JobParts,
  kinds: JobKinds,
  times: JobTimes = {},
): Promise<void> {
  if (config.role === 'api') return;
  const worker = new JobWorker({ database, clock, log, meters, tracer, ...kinds, ...times });
  await worker.start();
  // While streams and requests take their time to end, other processes have the jobs already.
  for (const phase of ['drain', 'jobs'] as const)
    closing.add(phase, `jobs: ${Object.keys(kinds.handlers).join()}`, () => worker.stop());
}
