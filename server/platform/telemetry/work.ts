/**
 * The current work: the request or job that the running code belongs to. An AsyncLocalStorage passes it on implicitly.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';

export const TRACEPARENT_HEADER = 'traceparent';

export interface Work {
  /** Its request; for a job, the request that made the job. Undefined if the server acts by itself. */
  requestId: string | undefined;
  /** Its span as a W3C traceparent; undefined without tracing. */
  traceparent?: string | undefined;
  /** The page of the console whose request changes something. A job has none. */
  page?: string | undefined;
  /** Its job, if it is one. */
  job?: { id: number; kind: string };
}

const works = new AsyncLocalStorage<Work>();

export const currentWork = (): Work | undefined => works.getStore();

/** Runs `act` as part of a work. */
export const asPartOf = <T>(work: Work, act: () => T): T => works.run(work, act);

/** Runs `act` as part of no work, because several works share it, or because it outlives the work that starts it. */
export const outsideWork = <T>(act: () => T): T => works.exit(act);

/** Binds a function to a work. Use it for callbacks of sockets and timers, which run outside of the work. */
export const boundTo =
  <A extends unknown[], R>(work: Work | undefined, act: (...given: A) => R): ((...given: A) => R) =>
  (...given) =>
    work === undefined ? act(...given) : works.run(work, act, ...given);

/** Headers about the current work for requests to servers of others. */
export function requestInHeaders(): Record<string, string> {
  const id = works.getStore()?.requestId;
  return id === undefined ? {} : { [REQUEST_ID_HEADER]: id };
}

/** Headers about the current work for requests to a service that does a part of it. */
export function workInHeaders(): Record<string, string> {
  const traceparent = works.getStore()?.traceparent;
  return { ...requestInHeaders(), ...(traceparent !== undefined && { [TRACEPARENT_HEADER]: traceparent }) };
}

/** Log fields about the current work. */
export function workInLog(): object {
  const work = works.getStore();
  if (work === undefined) return {};
  return {
    ...(work.requestId !== undefined && { request_id: work.requestId }),
    // The trace id is the second part of a traceparent.
    ...(work.traceparent !== undefined && { trace_id: work.traceparent.split('-')[1] }),
    ...(work.job && { job: work.job.id, job_kind: work.job.kind }),
  };
}
