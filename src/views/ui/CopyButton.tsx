import { Box, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { CheckSign, CopySign, CrossSign } from './signs.tsx';
import { useClipboard } from './state.ts';

type Props = {
  text: string;
  /** Names the text: "Project UUID". */
  label: string;
  /** Visible words next to the icon; `Copy ${label}` starts with them. */
  children?: string;
};

/** Copies a text. The icon shows the outcome, and Toasts announces it to screen readers. */
export function CopyButton({ text, label, children }: Props) {
  const clipboard = useClipboard();
  const outcome = useSelector(clipboard, (snapshot) => {
    if (snapshot.context.text !== text) return 'none';
    if (snapshot.hasTag('copied')) return 'copied';
    return snapshot.hasTag('refused') ? 'refused' : 'none';
  });
  return (
    <chakra.button
      type="button"
      aria-label={`Copy ${label}`}
      title={outcome === 'copied' ? 'Copied' : `Copy ${label}`}
      onClick={() => clipboard.send({ type: 'copy.requested', text, label })}
      display="inline-flex"
      alignItems="center"
      justifyContent="center"
      gap="1.5"
      {...(children ? { height: '7', px: '2', fontSize: 'sm', fontWeight: 'medium' } : { boxSize: '7' })}
      flexShrink="0"
      borderRadius="l1"
      cursor="pointer"
      focusRing="outside"
      _hover={{ bg: 'bg.emphasized' }}
    >
      <Box aria-hidden {...(outcome === 'copied' ? { color: 'fg.success' } : {})}>
        {SIGNS[outcome]}
      </Box>
      {children}
    </chakra.button>
  );
}

const SIGNS = { none: <CopySign size={14} />, copied: <CheckSign size={14} />, refused: <CrossSign size={14} /> };
