import { useSelector } from '@xstate/react';
import { isBadAddress } from '#machines/workspace/usage/period.ts';
import { WarningBox } from '../WarningBox.tsx';
import type { PeriodActor } from './PeriodPicker.tsx';

/** Says that the address asks for something that does not exist, and what is shown instead. */
export const AddressNotice = ({ children }: { children: string }) => <WarningBox role="status">{children}</WarningBox>;

/** Shown if the address asks for a period that cannot be shown. */
export function BadAddressNotice({ actor }: { actor: PeriodActor }) {
  const isBad = useSelector(actor, ({ context }) => isBadAddress(context));
  const grouping = useSelector(actor, ({ context: { view, steps } }) =>
    steps.some((step) => step === view.period) ? undefined : view.period,
  );
  if (!isBad) return null;
  return (
    <AddressNotice>
      {grouping === undefined
        ? "That date range isn't valid. Showing this month."
        : `There is no grouping "${grouping}". Showing this month.`}
    </AddressNotice>
  );
}
