/** What people of the tests choose: both pass the rule for new passwords (SEC-06). */
export const PASSWORD = 'a long enough password';
export const NEXT_PASSWORD = 'even longer than the one before';
