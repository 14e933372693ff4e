import { ChakraProvider } from '@chakra-ui/react';
import type { ComponentType } from 'react';
import { publicSystem } from '../../theme/public.ts';

/** Wraps a signed-out page in its style system. */
export const withPublicStyles = (Page: ComponentType) =>
  function PublicPage() {
    return (
      <ChakraProvider value={publicSystem()}>
        <Page />
      </ChakraProvider>
    );
  };
