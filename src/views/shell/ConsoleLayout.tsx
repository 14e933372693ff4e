import { ChakraProvider, CloseButton, Drawer, Portal, SkipNavLink } from '@chakra-ui/react';
import { Outlet } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { LazyMotion } from 'framer-motion';
import { X } from 'lucide-react';
import { keepFocus } from '../../behaviours/keepFocus.ts';
import { loadMotion } from '../../behaviours/moving.ts';
import { consoleSystem } from '../../theme/console.ts';
import { PartBoundary } from '../ui/PartBoundary.tsx';
import { CONTENT_ID } from '../ui/landmarks.ts';
import { usePreferences, useRoute, useWorkspaceIfAny } from '../ui/state.ts';
import { Toasts } from '../ui/Toasts.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { ForbiddenPage } from './ForbiddenPage.tsx';
import { FullScreenLoader } from './FullScreenLoader.tsx';
import { FailedPage, LoadFailedPage, PlaceNotFoundPage, MissingPage } from './LoadFailure.tsx';
import { SIDEBAR_WIDTH } from '../../theme/measures.ts';
import { Overlays } from './Overlays.tsx';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';

/** The layout of every signed-in screen: the console's style system, and the frame once the workspace is ready. */
export function ConsoleLayout() {
  const workspace = useWorkspaceIfAny();
  const status = useSelector(workspace, (snapshot) => {
    if (snapshot?.hasTag('ready')) return 'ready';
    return snapshot?.hasTag('failed') ? 'failed' : 'loading';
  });
  return (
    <ChakraProvider value={consoleSystem}>
      <LazyMotion strict features={loadMotion}>
        {status === 'loading' ? <FullScreenLoader /> : null}
        {status === 'failed' ? <LoadFailedPage /> : null}
        {status === 'ready' ? <Frame /> : null}
      </LazyMotion>
    </ChakraProvider>
  );
}

function Frame() {
  const preferences = usePreferences();
  const isDrawerOpen = useSelector(preferences, (snapshot) => snapshot.hasTag('drawerOpen'));
  return (
    <div className="frame">
      <SkipNavLink id={CONTENT_ID}>Skip to content</SkipNavLink>
      <aside>
        {isDrawerOpen ? null : (
          <PartBoundary>
            <Sidebar />
          </PartBoundary>
        )}
      </aside>
      <div ref={keepFocus}>
        <PartBoundary>
          <TopBar />
        </PartBoundary>
        <PartBoundary>
          <ConnectionBanner />
        </PartBoundary>
        <PartBoundary>
          <NavigationDrawer />
        </PartBoundary>
        <Overlays />
        <PartBoundary>
          <Toasts />
        </PartBoundary>
        <Content />
      </div>
    </div>
  );
}

/** The sidebar as a drawer, in windows too narrow for it (SHL-01). */
function NavigationDrawer() {
  const preferences = usePreferences();
  const isOpen = useSelector(preferences, (snapshot) => snapshot.hasTag('drawerOpen'));
  return (
    <Drawer.Root
      placement="start"
      open={isOpen}
      onOpenChange={(details) => (details.open ? undefined : preferences.send({ type: 'drawer.close.requested' }))}
    >
      <Portal>
        <Drawer.Backdrop />
        <Drawer.Positioner>
          <Drawer.Content aria-label="Navigation" w={SIDEBAR_WIDTH} maxW="85vw">
            <Sidebar />
            <Drawer.CloseTrigger asChild top="2.5" insetEnd="2">
              <CloseButton size="sm" aria-label="Close navigation">
                <X aria-hidden />
              </CloseButton>
            </Drawer.CloseTrigger>
          </Drawer.Content>
        </Drawer.Positioner>
      </Portal>
    </Drawer.Root>
  );
}

function Content() {
  const workspace = useWorkspaceIfAny();
  const route = useRoute();
  const refusal = useRefusal();
  return (
    <PartBoundary
      getResetKey={() => refusal ?? route}
      errorComponent={FailedPage}
      onCatch={() => workspace?.send({ type: 'part.failed' })}
    >
      <Screen refusal={refusal} />
    </PartBoundary>
  );
}

type Refusal = 'organization' | 'project' | 'notFound' | 'forbidden';

/** Why the address has no screen for this person; null if it has one. */
const useRefusal = (): Refusal | null =>
  useSelector(useWorkspaceIfAny(), (snapshot) => {
    if (snapshot?.hasTag('organizationMissing')) return 'organization';
    if (snapshot?.hasTag('projectMissing')) return 'project';
    if (snapshot?.hasTag('notFound')) return 'notFound';
    return snapshot?.hasTag('forbidden') ? 'forbidden' : null;
  });

function Screen({ refusal }: { refusal: Refusal | null }) {
  if (refusal === 'forbidden') return <ForbiddenPage />;
  if (refusal === 'notFound') return <PlaceNotFoundPage />;
  if (refusal) return <MissingPage what={refusal} />;
  return <Outlet />;
}
