import { createFileRoute, redirect } from '@tanstack/react-router';
import { addressOf } from '../../../../../../../locations.ts';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/transcribe-file/')({
  beforeLoad: ({ params }) => {
    throw redirect({ ...addressOf({ screen: 'playground', ...params, mode: 'async' }), replace: true });
  },
});
