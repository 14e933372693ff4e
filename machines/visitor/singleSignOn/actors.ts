import { promisePlaceholder } from '../../shared/placeholder.ts';

/** Begins a sign-in at the identity provider; resolves to the address of its page. `from`: where the person was going; empty where nobody said. */
export const requestSignOn = promisePlaceholder<string, { from: string }>('requestSignOn');

/** Leaves the console for an address; resolves only if the browser shows this page again, as after Back. */
export const leavePage = promisePlaceholder<void, { url: string }>('leavePage');
