import { Box } from '@chakra-ui/react';
import type { ComponentProps } from 'react';

/** A surface that holds what belongs together. */
export function Panel(props: ComponentProps<typeof Box>) {
  return <Box bg="bg.panel" borderWidth="1px" borderRadius="l3" p={{ base: '5', md: '6' }} {...props} />;
}
