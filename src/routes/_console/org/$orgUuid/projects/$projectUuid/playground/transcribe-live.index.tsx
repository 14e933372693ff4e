import { createFileRoute, redirect } from '@tanstack/react-router';
import { addressOf } from '../../../../../../../locations.ts';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/transcribe-live/')({
  beforeLoad: ({ params, search }: { params: { orgUuid: string; projectUuid: string }; search: Record<string, unknown> }) => {
    const address = addressOf({ screen: 'playground', ...params, mode: 'real-time' });
    throw redirect({ to: address.to, search: { ...search, ...address.search }, replace: true });
  },
});
