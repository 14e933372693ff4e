import { Box } from '@chakra-ui/react';
import type { ComponentProps } from 'react';

/** A box with a warning in words. */
export const WarningBox = (props: ComponentProps<typeof Box>) => (
  <Box
    p="4"
    borderRadius="l2"
    bg="bg.warning"
    borderWidth="1px"
    borderColor="border.warning"
    color="fg"
    fontSize="sm"
    {...props}
  />
);
