import { useSelector } from '@xstate/react';
import type { BadAddress } from '#machines/workspace/usage/period.ts';
import { WarningBox } from '../WarningBox.tsx';
import type { PeriodActor } from './PeriodPicker.tsx';

/** Says that the address asks for something that does not exist, and what is shown instead. */
export const AddressNotice = ({ children }: { children: string }) => <WarningBox role="status">{children}</WarningBox>;

const textOf = (bad: BadAddress): string =>
  bad.what === 'steps'
    ? `Grouping by "${bad.named}" isn't possible. Showing days.`
    : "That date range isn't valid. Showing this month.";

/** Shown if the address asked for a period that cannot be shown. */
export function BadAddressNotice({ actor }: { actor: PeriodActor }) {
  const bad = useSelector(actor, ({ context }) => context.bad);
  return bad === null ? null : <AddressNotice>{textOf(bad)}</AddressNotice>;
}
