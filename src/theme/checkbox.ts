import { defineSlotRecipe } from '@chakra-ui/react';
import { checkboxSlotRecipe } from '@chakra-ui/react/theme';

/** Chakra's checkbox with square corners: the 8 px that small things have here make a circle of its box, which looks like a choice of one. */
export const squareCheckbox = defineSlotRecipe({
  ...checkboxSlotRecipe,
  base: { ...checkboxSlotRecipe.base, control: { ...checkboxSlotRecipe.base?.control, borderRadius: 'sm' } },
});
