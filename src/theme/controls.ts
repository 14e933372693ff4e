/**
 * The console's changes to Chakra's controls: borders and tracks with a contrast of 3:1 (UXP-02), and the same duration
 * for all animations (UXP-62).
 */
import { defineConfig } from '@chakra-ui/react';
import { dialogSlotRecipe, drawerSlotRecipe, nativeSelectSlotRecipe, switchSlotRecipe } from '@chakra-ui/react/theme';

const border = { borderColor: 'border.control' };

/** Merge these over the recipes. */
export const controls = defineConfig({
  theme: {
    recipes: {
      textarea: { variants: { variant: { outline: border } } },
      skeleton: { variants: { loading: { false: { '--fade-duration': '150ms' } } } },
    },
    slotRecipes: {
      dialog: {
        slots: dialogSlotRecipe.slots,
        // What takes the focus is shown with its label.
        base: { body: { scrollPaddingBlock: '2rem' } },
        // Short windows, such as enlarged ones, have no room to leave around it.
        variants: {
          scrollBehavior: { inside: { content: { '@media (height < 30rem)': { maxH: 'calc(100% - 1rem)' } } } },
        },
      },
      drawer: {
        slots: drawerSlotRecipe.slots,
        base: { content: { _open: { animationDuration: 'moderate' } } },
      },
      nativeSelect: {
        slots: nativeSelectSlotRecipe.slots,
        variants: { variant: { outline: { field: border } } },
      },
      switch: {
        slots: switchSlotRecipe.slots,
        base: { indicator: { transition: 'inset-inline-start 150ms ease' } },
        variants: { variant: { solid: { control: { bg: 'border.control' } } } },
      },
    },
  },
});
