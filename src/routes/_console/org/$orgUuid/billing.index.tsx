import { createFileRoute, redirect } from '@tanstack/react-router';
import { addressOf } from '../../../../locations.ts';

/** Billing as a whole opens its overview (NAV-05). */
export const Route = createFileRoute('/_console/org/$orgUuid/billing/')({
  beforeLoad: ({ params, search }: { params: { orgUuid: string }; search: Record<string, unknown> }) => {
    const address = addressOf({ screen: 'billing', page: 'overview', ...params });
    throw redirect({ to: address.to, search: { ...search, ...address.search }, replace: true });
  },
});
