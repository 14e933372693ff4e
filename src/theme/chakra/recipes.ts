/**
 * For the factory of Chakra's elements in the built console, which makes a recipe for each of them whenever it is drawn,
 * nearly always one that says nothing, and writes out its styles.
 */
import { serializeStyles, type SerializedStyles } from '@emotion/serialize';

type Recipe = { merge: (other: Recipe) => Recipe };
type MakeRecipe = (config: object) => Recipe;

const made = new WeakMap<MakeRecipe, WeakMap<object, Recipe>>();
const merged = new WeakMap<Recipe, WeakMap<Recipe, Recipe>>();

function once<Key extends object, Other extends object>(
  kept: WeakMap<Key, WeakMap<Other, Recipe>>,
  [key, other]: readonly [Key, Other],
  make: () => Recipe,
): Recipe {
  const those = kept.get(key) ?? new WeakMap<Other, Recipe>();
  kept.set(key, those);
  const recipe = those.get(other) ?? make();
  those.set(other, recipe);
  return recipe;
}

/** The recipe of an element's configuration, which is the same object each time. @param cva of the style system */
export const recipeOnce = (cva: MakeRecipe, config: object): Recipe => once(made, [cva, config], () => cva(config));

/** One recipe of two. */
export const mergedOnce = (one: Recipe, other: Recipe): Recipe => once(merged, [one, other], () => one.merge(other));

type Styles = Parameters<typeof serializeStyles>[0];
const written = new WeakMap<object, SerializedStyles>();

/** Styles as they are written into the page, with their name. What the style system returns is the same object for the same styles. */
export function writtenOnce(...[styles, registered, props]: Parameters<typeof serializeStyles>): SerializedStyles {
  const [only, more] = styles as readonly (object | string | undefined)[];
  if (more !== undefined || typeof only !== 'object') return serializeStyles(styles as Styles, registered, props);
  const known = written.get(only) ?? serializeStyles(styles, registered, props);
  written.set(only, known);
  return known;
}
