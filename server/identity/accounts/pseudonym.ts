/** What stands for somebody whose account was deleted. The same wherever they were named; their id is random and tells nothing else. */
export const pseudonymOf = (userId: string): string => `Deleted person ${userId.slice(0, 8)}`;
