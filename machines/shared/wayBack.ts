import * as v from 'valibot';
import { OwnPath } from '#contract/fields.ts';
import type { Navigate, Route } from './route.ts';

/** Whether it leads to this site and no other. */
export const isOwnPath = (path: string): boolean => v.is(OwnPath, path);

/** The way back that somebody kept, where it leads to this site; else `otherwise` (SES-07). */
export const wayBack = (from: string | null | undefined, otherwise: Route): Navigate['to'] =>
  from && isOwnPath(from) ? { href: from } : otherwise;
