/** Puts the console together: settings, effects, the root actor, the router, the page. */
import './theme/global.css';
import '@fontsource-variable/inter/wght.css';
import { CatchBoundary, RouterProvider, createBrowserHistory } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createActor, waitFor } from 'xstate';
import { partsOf, preferencesOf, sessionOf } from '#machines/root/select.ts';
import type { RootActor } from '#machines/root/machine.ts';
import { letGo } from '#machines/shared/holding.ts';
import { RootContext } from './actors.ts';
import { followTheme, followTitle } from './effects/browser/appearance.ts';
import { showLoader } from './early/loader.ts';
import { createEffects } from './effects/provide/index.ts';
import { followFocus } from './effects/browser/pageFocus.ts';
import { readPageSettings } from './effects/browser/pageSettings.ts';
import { provideEffects } from './effects/provide/provide.ts';
import { announceSession } from './effects/session/session.ts';
import { bindRouter, createConsoleRouter, fetchScreen, firstScreen, blockNavigation } from './router.ts';
import { fetchVisitorScreens } from './views/accounts/visitorScreens.ts';
import { ConsoleErrorPage } from './views/shell/ConsoleErrorPage.tsx';

declare global {
  interface Window {
    /** The root actor, for the browser's own console; in development and while inspecting only. */
    parlance?: RootActor;
  }
}

async function start() {
  const settings = readPageSettings();
  const isInspecting = new URLSearchParams(window.location.search).has('inspect');
  const inspection = isInspecting
    ? (await import('./effects/inspect/inspect.ts')).startInspection(new URL(window.location.href))
    : undefined;

  const history = createBrowserHistory();
  const effects = createEffects({
    settings,
    session: () => sessionOf(root),
    blockNavigation: blockNavigation(history, () => router),
  });
  const root = createActor(provideEffects(effects, fetchVisitorScreens), {
    input: { settings, browserLanguages: navigator.languages, left: effects.recall() },
    ...(inspection ? { inspect: inspection.observe } : {}),
  });
  const router = createConsoleRouter(root, history);
  const isSessionKept = effects.isSessionKept();
  if (isSessionKept) fetchScreen(router);
  // Before the start: what is emitted while nobody listens is lost.
  bindRouter(root, router);
  announceSession(sessionOf(root));
  // What fails in the root's own chart has no chart above that could show it.
  root.subscribe({
    error: (error) => {
      letGo(root);
      page.render(<ConsoleErrorPage error={error} />);
    },
  });
  root.start();
  followTheme(preferencesOf(root));
  followTitle(root);
  followFocus(router);
  if (import.meta.env.DEV || isInspecting) window.parlance = root;

  if (isSessionKept) {
    showLoader(document);
    // Where its files can't be had, that is said.
    await Promise.race([firstScreen(root, router), waitFor(partsOf(root), (snapshot) => !snapshot.matches('whole'))]);
  }
  if (root.getSnapshot().status === 'error') return;
  page.render(
    <StrictMode>
      {/* What no part of the page took, the router's own defects among it; the error screen stands in the place of all. */}
      <CatchBoundary
        getResetKey={() => root}
        errorComponent={ConsoleErrorPage}
        onCatch={() => root.send({ type: 'view.failed' })}
      >
        <RootContext value={root}>
          <RouterProvider router={router} />
        </RootContext>
      </CatchBoundary>
    </StrictMode>,
  );
}

const page = createRoot(document.getElementById('app') ?? document.body);
start().catch((error: unknown) => page.render(<ConsoleErrorPage error={error} />));
