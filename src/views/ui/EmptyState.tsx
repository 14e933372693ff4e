import { Box, Flex, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';

type Props = {
  title: string;
  /** A lucide icon. */
  icon?: ReactNode;
  /** A sentence about what will appear here. */
  children?: ReactNode;
  /** A button that leads to the first content. */
  action?: ReactNode;
};

/** Shown in place of empty content. */
export function EmptyState({ title, icon, children, action }: Props) {
  return (
    <Flex
      direction="column"
      align="center"
      textAlign="center"
      gap="2"
      px="6"
      py={{ base: '10', md: '14' }}
      borderWidth="1px"
      borderStyle="dashed"
      borderRadius="l3"
    >
      {icon ? (
        <Flex
          align="center"
          justify="center"
          boxSize="12"
          mb="2"
          borderRadius="full"
          bg="brand.subtle"
          color="brand.fg"
          aria-hidden
        >
          {icon}
        </Flex>
      ) : null}
      <Text fontWeight="semibold">{title}</Text>
      {children ? (
        <Box maxW="min(420px, 100%)" color="fg.muted" fontSize="sm">
          {children}
        </Box>
      ) : null}
      {action ? <Box mt="4">{action}</Box> : null}
    </Flex>
  );
}
