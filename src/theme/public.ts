import { createSystem } from '@chakra-ui/react';
import { baseConfig } from './base.ts';

/** The style system of the signed-out pages and of the shell before the console has loaded. */
export const publicSystem = createSystem(baseConfig);
