import { CloseButton, Dialog, Portal } from '@chakra-ui/react';
import { X } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { createFocusReturn } from '../../behaviours/focusReturn.ts';
import { showFocused } from '../../behaviours/showFocused.ts';
import { PartBoundary } from './PartBoundary.tsx';

type Props = {
  title: string;
  open: boolean;
  /** Called on Esc, a click outside or the cross; the chart decides whether to close. */
  onClose: () => void;
  maxWidth?: string;
  /** The element to focus afterwards; by default the one focused before. */
  finalFocus?: () => HTMLElement | null;
  children: ReactNode;
};

/** A modal dialog with a title and a close button. */
export function ModalDialog({ title, open, onClose, maxWidth = '460px', finalFocus, children }: Props) {
  const { remember, target } = useMemo(() => createFocusReturn(), []);
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(details) => (details.open ? undefined : onClose())}
      finalFocusEl={finalFocus ?? target}
      placement="center"
      scrollBehavior="inside"
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner ref={showFocused} px={{ base: '2', md: '4' }}>
          <Dialog.Content ref={remember} maxW={maxWidth}>
            <Contents title={title} open={open}>
              {children}
            </Contents>
            <Dialog.CloseTrigger asChild>
              <CloseButton size="sm" aria-label="Close">
                <X aria-hidden />
              </CloseButton>
            </Dialog.CloseTrigger>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

/** Keeps the contents while the dialog fades out: the chart has dropped their form by then. */
const isClosing = (_: unknown, { open }: Pick<Props, 'open'>): boolean => !open;

const Contents = memo(function Contents({ title, children }: Pick<Props, 'title' | 'open' | 'children'>) {
  return (
    <>
      <Dialog.Header pb="2">
        <Dialog.Title fontSize="lg">{title}</Dialog.Title>
      </Dialog.Header>
      <Dialog.Body pb="6">
        <PartBoundary>{children}</PartBoundary>
      </Dialog.Body>
    </>
  );
}, isClosing);
