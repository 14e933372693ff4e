import { createFileRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { PlaygroundPage } from '../../../../../../../views/playground/PlaygroundPage.tsx';

/** One page for all of the playground's addresses, so that moving between them keeps what is on it. Any other mode means real-time (ASY-01). */
export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text')({
  validateSearch: v.object({ mode: v.optional(v.fallback(v.picklist(['async', 'real-time']), 'real-time'), 'real-time') }),
  component: PlaygroundPage,
});
