/** What every page shares: brand colours, Inter, 12 px corners, light and dark (SHL-13). */
import { defaultBaseConfig, defineConfig, type SystemContext } from '@chakra-ui/react';
import {
  breakpoints,
  buttonRecipe,
  globalCss,
  headingRecipe,
  inputRecipe,
  linkRecipe,
  spinnerRecipe,
} from '@chakra-ui/react/theme';
import { disabledButton } from './button.ts';
import { textStyles } from './textStyles.ts';
import { publicTokens } from './tokens.ts';

/** The tokens and recipes that the signed-out pages use and no others: they are most of Chakra's weight. */
const foundation = defineConfig({
  preflight: true,
  cssVarsPrefix: 'chakra',
  cssVarsRoot: ':where(html, .chakra-theme)',
  globalCss,
  theme: {
    breakpoints,
    keyframes: { spin: { '0%': { transform: 'rotate(0deg)' }, '100%': { transform: 'rotate(360deg)' } } },
    tokens: publicTokens,
    textStyles,
    recipes: {
      button: buttonRecipe,
      heading: headingRecipe,
      input: inputRecipe,
      link: linkRecipe,
      spinner: spinnerRecipe,
    },
  },
});

const brand = defineConfig({
  theme: {
    tokens: {
      // Whatever moves takes 150 to 200 ms (UXP-62).
      durations: {
        faster: { value: '150ms' },
        slow: { value: '200ms' },
        slower: { value: '200ms' },
      },
      fonts: {
        body: { value: "'Inter Variable', system-ui, sans-serif" },
        heading: { value: "'Inter Variable', system-ui, sans-serif" },
      },
      colors: {
        brand: {
          50: { value: '#eef5ff' },
          100: { value: '#dae8ff' },
          200: { value: '#bcd5ff' },
          300: { value: '#8ebaff' },
          400: { value: '#5995fc' },
          500: { value: '#3374f0' },
          600: { value: '#1d5fd6' },
          700: { value: '#1a4cae' },
          800: { value: '#1b4189' },
          900: { value: '#1b3a6f' },
          950: { value: '#122343' },
        },
      },
    },
    recipes: {
      button: disabledButton,
      input: { variants: { variant: { outline: { borderColor: 'border.control' } } } },
    },
    semanticTokens: {
      radii: { l1: { value: '8px' }, l2: { value: '12px' }, l3: { value: '12px' } },
      colors: {
        bg: {
          DEFAULT: { value: { _light: '{colors.white}', _dark: '#0f1115' } },
          subtle: { value: { _light: '#f7f8fa', _dark: '#14171c' } },
          muted: { value: { _light: '{colors.gray.100}', _dark: '{colors.gray.900}' } },
          emphasized: { value: { _light: '{colors.gray.200}', _dark: '{colors.gray.800}' } },
          panel: { value: { _light: '{colors.white}', _dark: '#171a20' } },
          error: { value: { _light: '{colors.red.50}', _dark: '{colors.red.950}' } },
        },
        fg: {
          DEFAULT: { value: { _light: '{colors.black}', _dark: '{colors.gray.50}' } },
          muted: { value: { _light: '#52596a', _dark: '#a3abba' } },
          subtle: { value: { _light: '#636b7c', _dark: '#8b93a3' } },
          error: { value: { _light: '#b42318', _dark: '#f97066' } },
          success: { value: { _light: '{colors.green.600}', _dark: '{colors.green.300}' } },
        },
        border: {
          DEFAULT: { value: { _light: '#e3e6ec', _dark: '#2a2f38' } },
          control: { value: { _light: '#838a99', _dark: '#697180' } },
          error: { value: { _light: '{colors.red.500}', _dark: '{colors.red.400}' } },
        },
        brand: {
          solid: { value: { _light: '{colors.brand.600}', _dark: '{colors.brand.600}' } },
          contrast: { value: '{colors.white}' },
          fg: { value: { _light: '{colors.brand.700}', _dark: '{colors.brand.300}' } },
          muted: { value: { _light: '{colors.brand.100}', _dark: '{colors.brand.900}' } },
          subtle: { value: { _light: '{colors.brand.50}', _dark: '{colors.brand.950}' } },
          emphasized: { value: { _light: '{colors.brand.200}', _dark: '{colors.brand.800}' } },
          focusRing: { value: { _light: '{colors.brand.500}', _dark: '{colors.brand.400}' } },
        },
      },
    },
  },
  globalCss: {
    html: { colorPalette: 'brand', bg: 'bg', color: 'fg' },
    body: { minHeight: '100dvh' },
    // Everything changes, and dialogs, drawers and menus appear, at once for those who ask for less motion; spinners still turn.
    // However short, a transition of all that inherits a colour would pass it on by one element a frame.
    'body *, body *::before, body *::after': { _motionReduce: { transition: 'none !important' } },
    '[data-scope]': { _motionReduce: { animationName: 'none !important' } },
  },
});

/** For `createSystem`, which merges them: to merge them beforehand would take a start longer. */
export const baseConfigs = [defaultBaseConfig, foundation, brand];

/** The system without global styles, which Chakra would insert into the page: `global.css` has them. */
export const withStylesheet = (system: SystemContext): SystemContext => ({ ...system, _global: [] });
