import { useMembership } from '../ui/state.ts';

/** The organization whose billing shows; empty while there is none. */
export const useOrganization = (): string => useMembership()?.organization.uuid ?? '';
