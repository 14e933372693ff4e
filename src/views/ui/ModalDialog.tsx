import { CloseButton, Dialog, Portal } from '@chakra-ui/react';
import { type ReactNode, useMemo } from 'react';
import { createFocusReturn } from '../../behaviours/focusReturn.ts';

type Props = {
  title: string;
  open: boolean;
  /** Asked for by Esc, a click outside or the cross; the chart decides. */
  onClose: () => void;
  maxWidth?: string;
  /** What has the focus afterwards; by default what had it before. */
  finalFocus?: () => HTMLElement | null;
  children: ReactNode;
};

/** A window over the page that is worked in until it is closed. */
export function ModalDialog({ title, open, onClose, maxWidth = '460px', finalFocus, children }: Props) {
  const { remember, target } = useMemo(() => createFocusReturn(), []);
  return (
    <Dialog.Root open={open} onOpenChange={(details) => (details.open ? undefined : onClose())} finalFocusEl={finalFocus ?? target} placement="center" scrollBehavior="inside" lazyMount unmountOnExit>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px={{ base: '2', md: '4' }}>
          <Dialog.Content ref={remember} maxW={maxWidth}>
            <Dialog.Header pb="2">
              <Dialog.Title fontSize="lg">{title}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body pb="6">{children}</Dialog.Body>
            <Dialog.CloseTrigger asChild>
              <CloseButton size="sm" aria-label="Close" />
            </Dialog.CloseTrigger>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
