import { type HTMLChakraProps, chakra } from '@chakra-ui/react';

/** An id, a key or a name of programs in a text: a translator of the browser leaves it as it is (UXP-75). */
export const InlineCode = (props: HTMLChakraProps<'code'>) => (
  <chakra.code className="notranslate" fontFamily="mono" {...props} />
);
