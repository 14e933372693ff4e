import { createContext } from 'react';

/** Whether the surrounding form is detached: its organization or project is gone, so it cannot be submitted. */
export const FormDetached = createContext(false);
