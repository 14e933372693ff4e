import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import type { Toast } from '#machines/root/toasts/machine.ts';
import { useClipboard, useToasts } from './state.ts';

/** Short messages in the corner. Errors are announced assertively, others politely, in separate live regions. */
export function Toasts() {
  const toasts = useSelector(useToasts(), (snapshot) => snapshot.context.toasts);
  return (
    <div className="toasts">
      <Region live="assertive" toasts={toasts.filter(({ kind }) => kind === 'error')} />
      <Region live="polite" toasts={toasts.filter(({ kind }) => kind !== 'error')} />
      <Copied />
    </div>
  );
}

function Region({ live, toasts }: { live: 'assertive' | 'polite'; toasts: readonly Toast[] }) {
  return (
    <div role={live === 'assertive' ? 'alert' : 'status'} aria-live={live} aria-atomic="false">
      {toasts.map((toast) => (
        <ToastBox key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

const LOOKS: Record<Toast['kind'], { color: string; sign: ReactNode }> = {
  error: { color: 'fg.error', sign: <CircleAlert size={18} /> },
  notice: { color: 'fg.info', sign: <Info size={18} /> },
  success: { color: 'fg.success', sign: <CircleCheck size={18} /> },
};

function ToastBox({ toast: { id, kind, text } }: { toast: Toast }) {
  const toasts = useToasts();
  return (
    <Flex
      align="flex-start"
      gap="3"
      p="3"
      pl="4"
      bg="bg.panel"
      borderWidth="1px"
      borderRadius="l2"
      boxShadow="lg"
      fontSize="sm"
      pointerEvents="auto"
    >
      <Box mt="0.5" color={LOOKS[kind].color} aria-hidden>
        {LOOKS[kind].sign}
      </Box>
      <Text dir="auto" flex="1" minW="0" py="0.5" overflowWrap="anywhere">
        {text}
      </Text>
      <chakra.button
        type="button"
        aria-label="Dismiss"
        onClick={() => toasts.send({ type: 'toast.dismissed', id })}
        display="inline-flex"
        alignItems="center"
        justifyContent="center"
        boxSize="6"
        borderRadius="l1"
        color="fg.muted"
        cursor="pointer"
        focusRing="outside"
        _hover={{ bg: 'bg.muted', color: 'fg' }}
      >
        <X size={14} aria-hidden />
      </chakra.button>
    </Flex>
  );
}

/** Announces the outcome of a copy button to screen readers. */
function Copied() {
  const text = useSelector(useClipboard(), (snapshot) => {
    if (snapshot.hasTag('copied')) return `${snapshot.context.label} copied`;
    return snapshot.hasTag('refused') ? 'Copying failed. Select the text and copy it by hand.' : '';
  });
  return (
    <span className="sr-only" role="status" aria-live="polite">
      {text}
    </span>
  );
}
