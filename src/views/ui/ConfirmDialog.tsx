import { Button, Dialog, Portal } from '@chakra-ui/react';
import type { ReactNode } from 'react';

type Props = {
  open: boolean;
  /** The question. */
  title: string;
  /** The button that does it, a verb: "Delete". */
  confirmLabel: string;
  cancelLabel?: string;
  /** Whether it can be confirmed yet; it can unless told otherwise. */
  canConfirm?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  /** What has the focus afterwards; by default what had it before. */
  finalFocus?: () => HTMLElement | null;
  /** Names the thing and what happens to it. */
  children?: ReactNode;
};

/** Asks before something that cannot be undone; Esc, the backdrop and Cancel all mean no. */
export function ConfirmDialog({ open, title, confirmLabel, cancelLabel = 'Cancel', canConfirm = true, onConfirm, onCancel, finalFocus, children }: Props) {
  return (
    <Dialog.Root role="alertdialog" open={open} onOpenChange={(details) => (details.open ? undefined : onCancel())} {...(finalFocus ? { finalFocusEl: finalFocus } : {})} placement="center" lazyMount unmountOnExit>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="4">
          <Dialog.Content maxW="440px">
            <Dialog.Header pb="2">
              <Dialog.Title fontSize="lg">{title}</Dialog.Title>
            </Dialog.Header>
            {children ? (
              <Dialog.Body pb="2" color="fg.muted" overflowWrap="anywhere">
                <Dialog.Description as="div">{children}</Dialog.Description>
              </Dialog.Body>
            ) : null}
            <Dialog.Footer>
              <Button variant="outline" onClick={onCancel}>
                {cancelLabel}
              </Button>
              {/* Not `disabled`: it can be reached while it waits. */}
              <Button colorPalette="red" aria-disabled={!canConfirm} onClick={canConfirm ? onConfirm : undefined}>
                {confirmLabel}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
