import { Box } from '@chakra-ui/react';
import { useId } from 'react';

/** The tooltip that all words share. The behaviour `wordDetails` fills and positions it. */
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
