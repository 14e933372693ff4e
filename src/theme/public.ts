import { createSystem, type SystemContext } from '@chakra-ui/react';
import { baseConfigs, withStylesheet } from './base.ts';

let made: SystemContext | undefined;

/** The style system of the signed-out pages, made when one of them shows: a start with a session never needs it. */
export const publicSystem = (): SystemContext => (made ??= withStylesheet(createSystem(...baseConfigs)));
