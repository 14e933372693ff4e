import { createFileRoute, redirect } from '@tanstack/react-router';
import { addressOf } from '../../../../../../../locations.ts';

/** The playground's own address, in the mode that the query asks for. */
export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/')({
  beforeLoad: ({ params, search }: { params: { orgUuid: string; projectUuid: string }; search: Record<string, unknown> }) => {
    const address = addressOf({ screen: 'playground', ...params, mode: search['mode'] === 'async' ? 'async' : 'real-time' });
    throw redirect({ to: address.to, search: { ...search, ...address.search }, replace: true });
  },
});
