import { useMembership } from '../ui/state.ts';

/** The UUID of the organization on the screen; empty without one. */
export const useOrganization = (): string => useMembership()?.organization.uuid ?? '';
