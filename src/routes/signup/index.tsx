import { createFileRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { VisitorPage } from '../../views/accounts/VisitorPage.tsx';

export const Route = createFileRoute('/signup/')({
  validateSearch: v.object({ from: v.optional(v.string()) }),
  component: VisitorPage,
  codeSplitGroupings: [],
});
