import { createContext } from 'react';

/** Whether what the form around belongs to is gone: nothing can be submitted. */
export const FormDetached = createContext(false);
