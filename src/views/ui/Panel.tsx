import { Box } from '@chakra-ui/react';
import type { ComponentProps } from 'react';

/** A bordered box. */
export function Panel(props: ComponentProps<typeof Box>) {
  return <Box bg="bg.panel" borderWidth="1px" borderRadius="l3" p={{ base: '5', md: '6' }} {...props} />;
}
