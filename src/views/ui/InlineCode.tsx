import { type HTMLChakraProps, chakra } from '@chakra-ui/react';

/** An id, key or identifier within text; browser translation leaves it unchanged (UXP-75). */
export const InlineCode = (props: HTMLChakraProps<'code'>) => (
  <chakra.code className="notranslate" fontFamily="mono" {...props} />
);
