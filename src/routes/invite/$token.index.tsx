import { createFileRoute } from '@tanstack/react-router';
import { VisitorPage } from '../../views/accounts/VisitorPage.tsx';

export const Route = createFileRoute('/invite/$token/')({
  component: VisitorPage,
  codeSplitGroupings: [],
});
