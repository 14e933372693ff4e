import { useMembership, useSettings } from '../ui/state.ts';

/** The UUID of the organization on the screen; empty without one. */
export const useOrganization = (): string => useMembership()?.organization.uuid ?? '';

/** Whether anything has a price on this server. */
export const useHasPrices = (): boolean => Object.keys(useSettings().prices).length > 0;
