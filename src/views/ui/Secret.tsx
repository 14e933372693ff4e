import { Button, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Check, Copy, Eye, EyeOff } from 'lucide-react';
import type { SecretRevealActor } from '#machines/shared/secretReveal/machine.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';

/** Replaces a hidden secret. */
export const MASK = '•'.repeat(24);

/** Styles for a secret or code. */
export const CODE_BOX = {
  className: 'notranslate',
  p: '3',
  bg: 'bg.muted',
  borderRadius: 'l2',
  fontFamily: 'mono',
  fontSize: 'xs',
  lineHeight: '1.6',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  focusRing: 'inside',
} as const;

type CopyProps = { variant?: 'outline'; isCopied: boolean; onCopy: () => void; children: string };

/** Copies a secret, or a text that contains it. */
export function CopySecret({ variant, isCopied, onCopy, children }: CopyProps) {
  return (
    <Button size="sm" {...(variant ? { variant } : {})} onClick={onCopy}>
      {isCopied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
      <span>{isCopied ? 'Copied' : children}</span>
    </Button>
  );
}

/** Shows and hides the secret. */
export function ShowSecret({ reveal }: { reveal: SecretRevealActor }) {
  const isShown = useSelector(reveal, ({ context }) => context.isShown);
  return (
    <Button size="sm" variant="outline" onClick={() => reveal.send({ type: 'visibility.toggled' })}>
      {isShown ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />}
      <span>{isShown ? 'Hide' : 'Show'}</span>
    </Button>
  );
}

type LeaveProps = { reveal: SecretRevealActor; title: string; backLabel: string; children: string };

/** Asks before the person closes a secret that they have not copied. */
export function LeaveDialog({ reveal, title, backLabel, children }: LeaveProps) {
  const isAsking = useSelector(reveal, (snapshot) => snapshot.hasTag('asking'));
  return (
    <ConfirmDialog
      open={isAsking}
      title={title}
      confirmLabel="Close anyway"
      cancelLabel={backLabel}
      onConfirm={() => reveal.send({ type: 'dismiss.confirmed' })}
      onCancel={() => reveal.send({ type: 'dismiss.withdrawn' })}
    >
      <Text>{children}</Text>
    </ConfirmDialog>
  );
}
