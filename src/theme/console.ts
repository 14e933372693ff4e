/** The style system of the console itself: the base, and the recipes of the components it uses. Loaded with the console's layout. */
import { createSystem, defineConfig } from '@chakra-ui/react';
import {
  animationStyles,
  badgeRecipe,
  dialogSlotRecipe,
  drawerSlotRecipe,
  kbdRecipe,
  keyframes,
  layerStyles,
  menuSlotRecipe,
  nativeSelectSlotRecipe,
  popoverSlotRecipe,
  progressSlotRecipe,
  semanticTokens,
  skeletonRecipe,
  skipNavLinkRecipe,
  switchSlotRecipe,
  tableSlotRecipe,
  tabsSlotRecipe,
  textareaRecipe,
  tokens,
} from '@chakra-ui/react/theme';
import { baseConfigs, withStylesheet } from './base.ts';
import { HUES } from './charts.ts';
import { controls } from './controls.ts';
import { SPEAKERS_DARK, SPEAKERS_LIGHT } from './speakers.ts';

const speakers = Object.fromEntries(
  SPEAKERS_LIGHT.map((light, index) => [index + 1, { value: { _light: light, _dark: SPEAKERS_DARK[index] ?? light } }]),
);

const charts = Object.fromEntries(
  Object.entries(HUES).map(([name, [light, dark]]) => [name, { value: { _light: light, _dark: dark } }]),
);

const consoleRecipes = defineConfig({
  globalCss: {
    // What takes the focus is scrolled to where neither the top bar nor what is pinned to the foot of the window covers it.
    html: {
      scrollPaddingTop: '4.5rem',
      '&:has([data-pinned])': { '@media (min-height: 35rem)': { scrollPaddingBottom: '8rem' } },
    },
  },
  theme: {
    keyframes,
    layerStyles,
    animationStyles,
    semanticTokens: { colors: { chart: charts, speaker: speakers } },
    recipes: {
      badge: badgeRecipe,
      kbd: kbdRecipe,
      skeleton: skeletonRecipe,
      skipNavLink: skipNavLinkRecipe,
      textarea: textareaRecipe,
    },
    slotRecipes: {
      dialog: dialogSlotRecipe,
      drawer: drawerSlotRecipe,
      menu: menuSlotRecipe,
      nativeSelect: nativeSelectSlotRecipe,
      popover: popoverSlotRecipe,
      progress: progressSlotRecipe,
      switch: switchSlotRecipe,
      table: tableSlotRecipe,
      tabs: tabsSlotRecipe,
    },
  },
});

/** Chakra's colours but for the palettes that no screen uses: each takes a start its time. */
const used = ({ teal: _teal, cyan: _cyan, pink: _pink, ...colors }: Colors) => colors;
type Colors = { teal?: unknown; cyan?: unknown; pink?: unknown };

/** Chakra's own tokens and palettes, beneath what the base says otherwise. */
const palettes = defineConfig({
  theme: {
    tokens: { ...tokens, colors: used(tokens.colors) },
    semanticTokens: { ...semanticTokens, colors: used(semanticTokens.colors) },
  },
});

export const consoleSystem = withStylesheet(createSystem(palettes, ...baseConfigs, consoleRecipes, controls));
