/** What the work under way is part of. Everything that it calls and waits for finds it here, without being handed it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';

export const TRACEPARENT_HEADER = 'traceparent';

export interface Work {
  /** The request that asked for it; of a job, the one that made the job. Undefined for what the server does by itself. */
  requestId: string | undefined;
  /** The span that it is, as W3C's trace context writes it. Undefined where nothing is traced. */
  traceparent?: string | undefined;
  /** The job that it is. */
  job?: { id: number; kind: string };
}

const works = new AsyncLocalStorage<Work>();

export const currentWork = (): Work | undefined => works.getStore();

/** Does something as a part of a work. */
export const asPartOf = <T>(work: Work, act: () => T): T => works.run(work, act);

/** Does something that several works share, or that goes on after the one that happens to begin it: it is part of none. */
export const apart = <T>(act: () => T): T => works.exit(act);

/** The same function as a part of a work, whoever calls it: sockets and timers call back outside of it. */
export const boundTo =
  <A extends unknown[], R>(work: Work | undefined, act: (...given: A) => R): ((...given: A) => R) =>
  (...given) =>
    work === undefined ? act(...given) : works.run(work, act, ...given);

/** What a request to anybody else's server says of it. */
export function requestInHeaders(): Record<string, string> {
  const id = works.getStore()?.requestId;
  return id === undefined ? {} : { [REQUEST_ID_HEADER]: id };
}

/** What a request to a service that does a part of it says. */
export function workInHeaders(): Record<string, string> {
  const traceparent = works.getStore()?.traceparent;
  return { ...requestInHeaders(), ...(traceparent !== undefined && { [TRACEPARENT_HEADER]: traceparent }) };
}

/** What log lines tell of it. */
export function workInLog(): object {
  const work = works.getStore();
  if (work === undefined) return {};
  return {
    ...(work.requestId !== undefined && { request_id: work.requestId }),
    // The trace's id is the second part.
    ...(work.traceparent !== undefined && { trace_id: work.traceparent.split('-')[1] }),
    ...(work.job && { job: work.job.id, job_kind: work.job.kind }),
  };
}
