import { createFileRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { SignInPage } from '../views/accounts/SignInPage.tsx';
import { leaveWhenSignedIn } from './-guards.ts';

export const Route = createFileRoute('/signin/')({
  validateSearch: v.object({ from: v.optional(v.string()) }),
  beforeLoad: ({ context, search, abortController }) => leaveWhenSignedIn({ root: context.root, signal: abortController.signal }, search.from),
  component: SignInPage,
  // Not a file of its own: signing out has to lead here also when the server is away.
  codeSplitGroupings: [],
});
