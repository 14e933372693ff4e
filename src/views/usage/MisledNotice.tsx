import { Flex } from '@chakra-ui/react';

/** Where the address asks for something that there is not: what shows in its place. */
export const AddressNotice = ({ children }: { children: string }) => (
  <Flex
    role="status"
    p="4"
    borderRadius="l2"
    bg="bg.warning"
    borderWidth="1px"
    borderColor="border.warning"
    color="fg"
    fontSize="sm"
  >
    {children}
  </Flex>
);

/** Where the address asks for a period that there is not. */
export const MisledNotice = () => (
  <AddressNotice>The address asks for a period that cannot be shown. This is the current month.</AddressNotice>
);
