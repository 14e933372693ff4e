import { CloseButton, Drawer, Portal } from '@chakra-ui/react';
import { X } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { createFocusReturn } from '../../behaviours/focusReturn.ts';
import { pageHeading } from '../../behaviours/rowFocus.ts';
import { FailsAlone } from './FailsAlone.tsx';

type Props = {
  title: string;
  open: boolean;
  /** Asked for by Esc, a click outside or the cross; the chart decides. */
  onClose: () => void;
  children: ReactNode;
};

/** One thing of the page in full, at its side; the focus returns to where it was opened from. */
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
        <Drawer.Positioner>
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

/** Stays as it was while the drawer goes: what it shows is gone from the chart by then. */
const staysAsItWas = (_: unknown, { open }: Pick<Props, 'open'>): boolean => !open;

const Contents = memo(function Contents({ title, children }: Pick<Props, 'title' | 'open' | 'children'>) {
  return (
    <>
      <Drawer.Header pb="2">
        <Drawer.Title fontSize="lg">{title}</Drawer.Title>
      </Drawer.Header>
      <Drawer.Body pb="6">
        <FailsAlone>{children}</FailsAlone>
      </Drawer.Body>
    </>
  );
}, staysAsItWas);
