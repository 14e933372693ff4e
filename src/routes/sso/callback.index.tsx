import { createFileRoute } from '@tanstack/react-router';
import { VisitorPage } from '../../views/accounts/VisitorPage.tsx';

export const Route = createFileRoute('/sso/callback/')({
  component: VisitorPage,
  codeSplitGroupings: [],
});
