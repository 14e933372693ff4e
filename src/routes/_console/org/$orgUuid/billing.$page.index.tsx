import { createFileRoute, notFound } from '@tanstack/react-router';
import { BILLING_PAGES } from '#machines/shared/route.ts';
import { UnavailablePage } from '../../../../views/shell/UnavailablePage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/billing/$page/')({
  beforeLoad: ({ params }) => {
    if (!BILLING_PAGES.some((page) => page === params.page)) throw notFound();
  },
  component: UnavailablePage,
});
