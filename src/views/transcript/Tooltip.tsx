import { Box } from '@chakra-ui/react';
import { useId } from 'react';

/** The one tooltip that all words share; the word details behaviour fills and places it. */
export function Tooltip() {
  return (
    <Box
      role="tooltip"
      id={useId()}
      hidden
      position="fixed"
      zIndex="tooltip"
      maxWidth="min(320px, calc(100vw - 16px))"
      px="2.5"
      py="1.5"
      borderRadius="l1"
      bg="bg.inverted"
      color="fg.inverted"
      textStyle="xs"
      fontVariantNumeric="tabular-nums"
      whiteSpace="pre-line"
      userSelect="none"
      boxShadow="md"
    />
  );
}
