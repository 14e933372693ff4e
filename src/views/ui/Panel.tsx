import { type BoxProps, Box } from '@chakra-ui/react';

/** A surface that holds what belongs together. */
export function Panel(props: BoxProps) {
  return <Box bg="bg.panel" borderWidth="1px" borderRadius="l3" p={{ base: '5', md: '6' }} {...props} />;
}
