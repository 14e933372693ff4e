import { Box, Heading, Text } from '@chakra-ui/react';
import { type ReactNode, useId } from 'react';

type Props = { title: string; hint?: string | null; children: ReactNode };

/** A titled part of the live side panel. */
export function Section({ title, hint, children }: Props) {
  const id = useId();
  return (
    <Box as="section" aria-labelledby={id} px="4" py="4" borderBottomWidth="1px" _last={{ borderBottomWidth: '0' }}>
      <Heading as="h2" id={id} fontSize="sm" mb="3">
        {title}
      </Heading>
      {hint && (
        <Text fontSize="xs" color="fg.muted" mb="3" mt="-1">
          {hint}
        </Text>
      )}
      {children}
    </Box>
  );
}
