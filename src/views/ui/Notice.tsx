import { Box, Flex, Text } from '@chakra-ui/react';
import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const LOOKS = {
  info: { bg: 'bg.subtle', borderColor: 'border', sign: Info, color: 'fg.muted' },
  success: { bg: 'bg.success', borderColor: 'border.success', sign: CircleCheck, color: 'fg.success' },
  warning: { bg: 'bg.warning', borderColor: 'border.warning', sign: TriangleAlert, color: 'fg.warning' },
  error: { bg: 'bg.error', borderColor: 'border.error', sign: TriangleAlert, color: 'fg.error' },
} as const;

export type Tone = keyof typeof LOOKS;

type Props = {
  tone: Tone;
  /** Replaces the tone's own icon. */
  sign?: ReactNode;
  title: ReactNode;
  /** Buttons and links. */
  actions?: ReactNode;
  children?: ReactNode;
};

/** A box with an icon: a title, what follows from it, and what to do. */
export function Notice({ tone, sign, title, actions, children }: Props) {
  const { bg, borderColor, sign: Sign, color } = LOOKS[tone];
  return (
    <Flex gap="3" p="4" borderRadius="l2" borderWidth="1px" fontSize="sm" {...{ bg, borderColor }}>
      <Box flexShrink="0" mt="0.5" color={color} aria-hidden>
        {sign ?? <Sign size={18} />}
      </Box>
      <Box minW="0" flex="1">
        <Text fontWeight="semibold" overflowWrap="anywhere">
          {title}
        </Text>
        {children ? (
          <Box mt="0.5" overflowWrap="anywhere">
            {children}
          </Box>
        ) : null}
        {actions ? (
          <Flex mt="3" gap="3" wrap="wrap" align="center">
            {actions}
          </Flex>
        ) : null}
      </Box>
    </Flex>
  );
}
