/** The screens that anybody may open. None is a file of its own: signing out has to lead there also when the server is away. */
import { createRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { PUBLIC_PATHS } from '../locations.ts';
import { SignInPage } from '../views/accounts/SignInPage.tsx';
import { VisitorPage } from '../views/accounts/VisitorPage.tsx';
import { withPublicStyles } from '../views/shell/PublicStyles.tsx';
import { rootRoute } from './base.tsx';
import { leaveWhenSignedIn } from './guards.ts';

/** One for all their addresses, so that moving between them keeps what is on it. */
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
