/** The screens that anybody may open. None is a file of its own: signing out has to lead there also when the server is away. */
import { createRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { PUBLIC_PATHS } from '../locations.ts';
import { SignInPage } from '../views/accounts/SignInPage.tsx';
import { VisitorPage } from '../views/accounts/VisitorPage.tsx';
import { rootRoute } from './base.tsx';
import { leaveWhenSignedIn } from './guards.ts';

const validateSearch = v.object({ from: v.optional(v.string()) });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signin/',
  validateSearch,
  beforeLoad: ({ context, search, abortController }) =>
    leaveWhenSignedIn({ root: context.root, signal: abortController.signal }, search.from),
  component: SignInPage,
});

const signUp = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup/',
  validateSearch,
  component: VisitorPage,
});

export const publicRoutes = [
  signIn,
  signUp,
  ...PUBLIC_PATHS.filter((path) => path !== '/signin/' && path !== '/signup/').map((path) =>
    createRoute({ getParentRoute: () => rootRoute, path, component: VisitorPage }),
  ),
];
