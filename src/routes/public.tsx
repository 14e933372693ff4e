/** Screens without a session. They come with the first file, so that sign-out works also while the server is away. */
import { createRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { PUBLIC_PATHS } from '../locations.ts';
import { SignInPage } from '../views/accounts/SignInPage.tsx';
import { VisitorPage } from '../views/accounts/VisitorPage.tsx';
import { withPublicStyles } from '../views/shell/PublicStyles.tsx';
import { rootRoute } from './base.tsx';
import { leaveWhenSignedIn } from './guards.ts';

/** One component for all these addresses, so that it stays mounted between them. */
const visitorPage = withPublicStyles(VisitorPage);

const validateSearch = v.object({ from: v.optional(v.string()) });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signin/',
  validateSearch,
  beforeLoad: ({ context, search, abortController }) =>
    leaveWhenSignedIn({ root: context.root, signal: abortController.signal }, search.from),
  component: withPublicStyles(SignInPage),
});

const signUp = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup/',
  validateSearch,
  component: visitorPage,
});

export const publicRoutes = [
  signIn,
  signUp,
  ...PUBLIC_PATHS.filter((path) => path !== '/signin/' && path !== '/signup/').map((path) =>
    createRoute({ getParentRoute: () => rootRoute, path, component: visitorPage }),
  ),
];
