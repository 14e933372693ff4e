import { Box } from '@chakra-ui/react';
import { CODE_BOX } from '../ui/Secret.tsx';

/** Code without line wrapping; long lines scroll. */
export const CodeBlock = ({ label, code }: { label: string; code: string }) => (
  <Box
    as="pre"
    role="region"
    aria-label={label}
    tabIndex={0}
    dir="ltr"
    textAlign="start"
    color="fg"
    {...CODE_BOX}
    whiteSpace="pre"
    overflowX="auto"
  >
    {code.trimEnd()}
  </Box>
);
