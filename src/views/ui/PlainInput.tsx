import { createRecipeContext, type HTMLChakraProps, type RecipeProps } from '@chakra-ui/react';

/** An input that looks like Chakra's own. That one imports a state machine library, too large for the signed-out pages. */
export const PlainInput = createRecipeContext({ key: 'input' }).withContext<
  HTMLInputElement,
  HTMLChakraProps<'input', RecipeProps<'input'>>
>('input');
