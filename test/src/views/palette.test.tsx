import { expect, it } from 'vitest';
import { LookupState } from '#src/views/shell/CommandPalette.tsx';
import { drawn, still } from './drawn.tsx';

it.each([
  [true, 'Nothing in this project has this ID.'],
  [false, 'No request in this project&#x27;s logs has this ID.'],
])('UXP-112: an ID that nothing has is told of what was asked; of the playground: %s', (mayOpen, text) => {
  const lookup = still({ context: { place: { mayOpen } }, hasTag: (tag: string) => tag === 'unknown' });
  expect(drawn(<LookupState lookup={lookup} />)).toContain(text);
});
