/** What the console changes about Chakra's controls: edges and tracks that stand out from their ground by 3:1 (UXP-02). */
import { defineConfig } from '@chakra-ui/react';
import { nativeSelectSlotRecipe, switchSlotRecipe } from '@chakra-ui/react/theme';

const edge = { borderColor: 'border.control' };

/** To be merged over the recipes. */
export const controls = defineConfig({
  theme: {
    recipes: { textarea: { variants: { variant: { outline: edge } } } },
    slotRecipes: {
      nativeSelect: {
        slots: nativeSelectSlotRecipe.slots,
        variants: { variant: { outline: { field: edge } } },
      },
      switch: {
        slots: switchSlotRecipe.slots,
        variants: { variant: { solid: { control: { bg: 'border.control' } } } },
      },
    },
  },
});
