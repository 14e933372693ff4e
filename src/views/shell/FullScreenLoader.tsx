import { Flex, Spinner, VisuallyHidden } from '@chakra-ui/react';

/** Fills the window while the console loads (SHL-12). */
export function FullScreenLoader() {
  return (
    <Flex as="main" align="center" justify="center" minH="100dvh" bg="bg">
      <Spinner size="lg" color="brand.solid" borderWidth="3px" aria-hidden />
      <VisuallyHidden as="h1" aria-live="polite">
        Loading…
      </VisuallyHidden>
    </Flex>
  );
}
