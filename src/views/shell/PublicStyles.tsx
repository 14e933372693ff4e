import { ChakraProvider } from '@chakra-ui/react';
import type { ComponentType } from 'react';
import { publicSystem } from '../../theme/public.ts';

/** A page that shows without a session, with the style system of such pages around it. */
export const withPublicStyles = (Page: ComponentType) =>
  function PublicPage() {
    return (
      <ChakraProvider value={publicSystem()}>
        <Page />
      </ChakraProvider>
    );
  };
