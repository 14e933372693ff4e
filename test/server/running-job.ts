import type { RunningJob } from '#server/platform/jobs/worker.ts';

/** A job as its handler gets it at its first run; no queue knows of it. */
export const runningJob = (of: Pick<RunningJob, 'kind' | 'subject'> & Partial<RunningJob>): RunningJob => ({
  id: 1,
  attempts: 1,
  runs: 1,
  interruptions: 0,
  requestId: null,
  traceparent: null,
  signal: new AbortController().signal,
  reached: () => Promise.resolve(),
  complete: () => Promise.resolve(),
  postpone: () => Promise.resolve(),
  ...of,
});
