import { useSelector } from '@xstate/react';
import { isBadAddress } from '#machines/workspace/usage/period.ts';
import { WarningBox } from '../WarningBox.tsx';
import type { PeriodActor } from './PeriodPicker.tsx';

/** Says that the address asks for something that does not exist, and what is shown instead. */
export const AddressNotice = ({ children }: { children: string }) => <WarningBox role="status">{children}</WarningBox>;

/** Shown if the address asks for a period that cannot be shown. */
export function BadAddressNotice({ actor }: { actor: PeriodActor }) {
  const isBad = useSelector(actor, ({ context }) => isBadAddress(context));
  if (!isBad) return null;
  return <AddressNotice>That date range isn't valid. Showing this month.</AddressNotice>;
}
