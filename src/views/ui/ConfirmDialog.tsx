import { Button, Dialog, Portal } from '@chakra-ui/react';
import { memo, type ReactNode } from 'react';
import { keepFocus } from '../../behaviours/keepFocus.ts';
import { showFocused } from '../../behaviours/showFocused.ts';
import { PartBoundary } from './PartBoundary.tsx';
import { ReachableButton } from './ReachableButton.tsx';

type Props = {
  open: boolean;
  /** The question. */
  title: string;
  /** The label of the confirm button, a verb: "Delete". */
  confirmLabel: string;
  cancelLabel?: string;
  /** Whether the confirm button works yet. */
  canConfirm?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  /** The element to focus afterwards; by default the one focused before. */
  finalFocus?: () => HTMLElement | null;
  /** What is affected, and what happens to it. */
  children?: ReactNode;
};

/** Asks before something that cannot be undone. Esc and Cancel mean no. */
export function ConfirmDialog({ finalFocus, ...question }: Props) {
  const { open, onCancel } = question;
  return (
    <Dialog.Root
      role="alertdialog"
      open={open}
      onOpenChange={(details) => (details.open ? undefined : onCancel())}
      {...(finalFocus ? { finalFocusEl: finalFocus } : {})}
      placement="center"
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner ref={showFocused} px="4">
          <Dialog.Content ref={keepFocus} maxW="440px">
            <Question {...question} />
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

/** Keeps the contents while the dialog fades out: the chart may have dropped their data by then. */
const isClosing = (_: unknown, { open }: Pick<Props, 'open'>): boolean => !open;

const Question = memo(function Question({
  title,
  confirmLabel,
  cancelLabel = 'Cancel',
  canConfirm = true,
  onConfirm,
  onCancel,
  children,
}: Omit<Props, 'finalFocus'>) {
  return (
    <>
      <Dialog.Header pb="2">
        <Dialog.Title fontSize="lg">{title}</Dialog.Title>
      </Dialog.Header>
      {children ? (
        <Dialog.Body pb="2" color="fg.muted" overflowWrap="anywhere">
          <Dialog.Description as="div">
            <PartBoundary>{children}</PartBoundary>
          </Dialog.Description>
        </Dialog.Body>
      ) : null}
      <Dialog.Footer>
        <Button variant="outline" onClick={onCancel}>
          {cancelLabel}
        </Button>
        <ReachableButton colorPalette="red" can={canConfirm} onClick={onConfirm}>
          {confirmLabel}
        </ReachableButton>
      </Dialog.Footer>
    </>
  );
}, isClosing);
