import { createFileRoute, redirect } from '@tanstack/react-router';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/')({
  // Settings with nothing to set anything for: the plain address (ASY-06).
  beforeLoad: ({ search: { panel, ...search }, params }) => {
    if (search.mode !== 'async' || panel !== 'settings') return;
    throw redirect({ to: '/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/', params, search, replace: true });
  },
});
