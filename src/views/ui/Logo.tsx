import { Box, Flex, Text, chakra } from '@chakra-ui/react';

/** The product's logo and name, with the label 'Console'. */
export function Logo({ productName }: { productName: string }) {
  return (
    <Flex as="span" align="center" gap="2.5" fontWeight="semibold" letterSpacing="-0.01em">
      <chakra.svg viewBox="0 0 32 32" boxSize="7" flexShrink="0" aria-hidden>
        <rect width="32" height="32" rx="9" fill="#1d5fd6" />
        <path d="M8 13v6M12 9v14M16 12v8M20 7v18M24 13v6" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      </chakra.svg>
      <Text as="span" truncate>
        {productName}
      </Text>
      <Box
        as="span"
        px="1.5"
        py="0.5"
        borderRadius="6px"
        bg="brand.subtle"
        color="brand.fg"
        fontSize="xs"
        fontWeight="medium"
        letterSpacing="normal"
      >
        Console
      </Box>
    </Flex>
  );
}
