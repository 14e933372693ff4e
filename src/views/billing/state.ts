import { useMembership, useSettings } from '../ui/state.ts';

/** The organization whose billing shows; empty while there is none. */
export const useOrganization = (): string => useMembership()?.organization.uuid ?? '';

/** Whether anything has a price on this server. */
export const useHasPrices = (): boolean => Object.keys(useSettings().prices).length > 0;
