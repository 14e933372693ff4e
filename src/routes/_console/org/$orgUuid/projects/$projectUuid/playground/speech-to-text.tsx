import { createFileRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { PlaygroundPage } from '../../../../../../../views/playground/PlaygroundPage.tsx';

/** What the address need not say; any other value counts as left out. */
const oneOf = <const Values extends readonly string[]>(values: Values) => v.optional(v.fallback(v.optional(v.picklist(values)), undefined));

/** One page for all of the playground's addresses, so that moving between them keeps what is on it. Any other mode means real-time (ASY-01). */
export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text')({
  validateSearch: v.object({
    mode: v.optional(v.fallback(v.picklist(['async', 'real-time']), 'real-time'), 'real-time'),
    panel: oneOf(['settings', 'history']),
    show: oneOf(['everything', 'original', 'translation']),
    lines: oneOf(['on', 'off']),
  }),
  component: PlaygroundPage,
});
