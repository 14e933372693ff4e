import { CloseButton, Drawer, Portal } from '@chakra-ui/react';
import { X } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { createFocusReturn } from '../../behaviours/focusReturn.ts';
import { pageHeading } from '../../behaviours/rowFocus.ts';
import { showFocused } from '../../behaviours/showFocused.ts';
import { PartBoundary } from './PartBoundary.tsx';

type Props = {
  title: string;
  open: boolean;
  /** Called on Esc, a click outside or the cross; the chart decides whether to close. */
  onClose: () => void;
  children: ReactNode;
};

/** A drawer with the details of one item. The focus returns to the element that opened it. */
export function SideDrawer({ title, open, onClose, children }: Props) {
  const { remember, target } = useMemo(() => createFocusReturn(), []);
  return (
    <Drawer.Root
      placement="end"
      open={open}
      onOpenChange={(details) => (details.open ? undefined : onClose())}
      finalFocusEl={() => target() ?? pageHeading()}
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Drawer.Backdrop />
        <Drawer.Positioner ref={showFocused}>
          <Drawer.Content ref={remember} maxW="min(560px, 100vw)" w="full">
            <Contents title={title} open={open}>
              {children}
            </Contents>
            <Drawer.CloseTrigger asChild>
              <CloseButton size="sm" aria-label="Close">
                <X aria-hidden />
              </CloseButton>
            </Drawer.CloseTrigger>
          </Drawer.Content>
        </Drawer.Positioner>
      </Portal>
    </Drawer.Root>
  );
}

/** Keeps the contents while the drawer slides out: the chart has dropped their data by then. */
const isClosing = (_: unknown, { open }: Pick<Props, 'open'>): boolean => !open;

const Contents = memo(function Contents({ title, children }: Pick<Props, 'title' | 'open' | 'children'>) {
  return (
    <>
      <Drawer.Header pb="2">
        <Drawer.Title fontSize="lg">{title}</Drawer.Title>
      </Drawer.Header>
      <Drawer.Body pb="6">
        <PartBoundary>{children}</PartBoundary>
      </Drawer.Body>
    </>
  );
}, isClosing);
