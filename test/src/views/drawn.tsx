/** Draws views once, of charts that stand still. */
import { ChakraProvider } from '@chakra-ui/react';
import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { vi } from 'vitest';
import type { Role } from '#contract/roles.ts';
import type { Route } from '#machines/shared/route.ts';
import { RootContext } from '#src/actors.ts';
import { createConsoleRouter } from '#src/router.ts';
import { consoleSystem } from '#src/theme/console.ts';
import { ann, settings } from '../../machines/people.ts';

/** The markup, without its styles. */
export const drawn = (view: ReactNode): string =>
  renderToStaticMarkup(<ChakraProvider value={consoleSystem}>{view}</ChakraProvider>).replaceAll(
    /<style[^>]*>.*?<\/style>/gs,
    '',
  );

/** An actor that stands still with this snapshot. */
export const still = (snapshot: object) =>
  ({ getSnapshot: () => snapshot, subscribe: () => ({ unsubscribe: () => {} }), send: () => {} }) as never;

export const PLACE = { orgUuid: 'o1', projectUuid: 'p1' };
const router = createConsoleRouter({} as never, createMemoryHistory());

/** The markup on a screen of the console, whose workspace has these charts, for somebody with this role. */
export function drawnOn(route: Route, children: object, view: ReactNode, role: Role = 'owner'): string {
  // Dialogs ask it where the focus is.
  vi.stubGlobal('document', {});
  const memberships = ann.memberships.map((membership) => ({ ...membership, role }));
  const context = { ...ann, memberships, route, selection: PLACE, failure: null };
  const workspace = still({ context, children, hasTag: () => false });
  const clipboard = still({ context: { text: null }, hasTag: () => false });
  const preferences = still({ context: { zone: 'utc' } });
  const root = still({ context: { route, settings }, children: { workspace, clipboard, preferences } });
  return drawn(
    <RouterContextProvider router={router}>
      <RootContext.Provider value={root}>{view}</RootContext.Provider>
    </RouterContextProvider>,
  );
}
