/** Names a person whose account was deleted, the same everywhere. Made from the random id, so it reveals nothing. */
export const pseudonymOf = (userId: string): string => `Deleted person ${userId.slice(0, 8)}`;
