import { CloseButton, Dialog, Portal } from '@chakra-ui/react';
import { X } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { createFocusReturn } from '../../behaviours/focusReturn.ts';
import { FailsAlone } from './FailsAlone.tsx';

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
        <Dialog.Positioner px={{ base: '2', md: '4' }}>
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

/** Stays as it was while the dialog fades out: the form in it is gone from the chart by then. */
const staysAsItWas = (_: unknown, { open }: Pick<Props, 'open'>): boolean => !open;

const Contents = memo(function Contents({ title, children }: Pick<Props, 'title' | 'open' | 'children'>) {
  return (
    <>
      <Dialog.Header pb="2">
        <Dialog.Title fontSize="lg">{title}</Dialog.Title>
      </Dialog.Header>
      <Dialog.Body pb="6">
        <FailsAlone>{children}</FailsAlone>
      </Dialog.Body>
    </>
  );
}, staysAsItWas);
