import { Flex } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { isBadAddress } from '#machines/workspace/usage/period.ts';
import type { PeriodActor } from './PeriodPicker.tsx';

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
export function BadAddressNotice({ actor }: { actor: PeriodActor }) {
  const isElsewhere = useSelector(actor, ({ context }) => isBadAddress(context));
  if (!isElsewhere) return null;
  return <AddressNotice>The address asks for a period that can't be shown. This is the current month.</AddressNotice>;
}
