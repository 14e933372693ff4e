/**
 * What the console changes about Chakra's controls: edges and tracks that stand out from their ground by 3:1 (UXP-02), and what
 * would move longer or shorter than the rest (UXP-62).
 */
import { defineConfig } from '@chakra-ui/react';
import { drawerSlotRecipe, nativeSelectSlotRecipe, switchSlotRecipe } from '@chakra-ui/react/theme';

const edge = { borderColor: 'border.control' };

/** To be merged over the recipes. */
export const controls = defineConfig({
  theme: {
    recipes: {
      textarea: { variants: { variant: { outline: edge } } },
      skeleton: { variants: { loading: { false: { '--fade-duration': '150ms' } } } },
    },
    slotRecipes: {
      drawer: {
        slots: drawerSlotRecipe.slots,
        base: { content: { _open: { animationDuration: 'moderate' } } },
      },
      nativeSelect: {
        slots: nativeSelectSlotRecipe.slots,
        variants: { variant: { outline: { field: edge } } },
      },
      switch: {
        slots: switchSlotRecipe.slots,
        base: { indicator: { transition: 'inset-inline-start 150ms ease' } },
        variants: { variant: { solid: { control: { bg: 'border.control' } } } },
      },
    },
  },
});
