import * as v from 'valibot';
import { OwnPath } from '#contract/fields.ts';
import type { Navigate, Route } from './route.ts';

/** Whether a path leads to this site. */
export const isOwnPath = (path: string): boolean => v.is(OwnPath, path);

/** Where sign-in leads: to `from` (SES-07), else to the welcome screen, which redirects members on (ONB-03). */
export const afterSignIn = (from: string | null | undefined): Navigate['to'] =>
  wayBack(from === '/' ? null : from, { screen: 'welcome' });

/** The kept path `from` if it leads to this site; else `otherwise` (SES-07). */
export const wayBack = (from: string | null | undefined, otherwise: Route): Navigate['to'] =>
  from && isOwnPath(from) ? { href: from } : otherwise;
