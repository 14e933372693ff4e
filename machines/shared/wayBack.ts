import * as v from 'valibot';
import { OwnPath } from '#contract/fields.ts';
import type { Navigate, Route } from './route.ts';

/** Whether it leads to this site and no other. */
export const isOwnPath = (path: string): boolean => v.is(OwnPath, path);

/** Where signing in leads: back to where the person was sent to sign in from (SES-07), else by the welcome, which leads on who has an organization (ONB-03). */
export const afterSignIn = (from: string | null | undefined): Navigate['to'] =>
  wayBack(from === '/' ? null : from, { screen: 'welcome' });

/** The way back that somebody kept, where it leads to this site; else `otherwise` (SES-07). */
export const wayBack = (from: string | null | undefined, otherwise: Route): Navigate['to'] =>
  from && isOwnPath(from) ? { href: from } : otherwise;
