import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/*
 * Few and large files: each costs a round trip or a place in the queue, and small ones compress worse. What these match goes
 * into one file with all that it imports, so a name that sign-in begins to use belongs into the first two. How much each
 * page then loads is held by `test/src/chunks.test.ts`.
 */

/** What everything is written with. */
const LIBRARIES =
  /node_modules[\\/](?:(?:react|react-dom|scheduler|xstate|valibot|stylis|@tanstack|@emotion|@xstate|@pandacss)[\\/]|use-sync-external-store[\\/](?:cjs[\\/]use-sync-external-store-)?shim)/;

/** What sign-in has in common with pages that come later. */
const COMMON = anyOf([
  /vite\/preload-helper/,
  /@chakra-ui\/react\/dist\/esm\/(?:components\/heading|utils\/walk-object)/,
  /machines\/(?:root|shared\/(?:failure|placeholder|route)|workspace\/select)/,
  /contract\/fields/,
  /src\/(?:locations|screens\/(?:rows|shortAddresses)|behaviours\/(?:takeFocus|firstInvalid)|effects\/http\/unanswered)\.ts/,
  /src\/views\/ui\/(?:FailureAlert|SubmitButton|ExternalLink|ScreenLink|Logo|CopyButton|TextField|Form|signs|state)\.tsx?/,
]);

/** What the visitor's other screens, such as sign-up, have in common with the console. */
const FORMS = anyOf([
  /contract\/(?:emails|passwords|accounts|members|roles)\.ts/,
  /machines\/shared\/newPassword\//,
  /src\/(?:effects\/browser\/passwordAdviser|views\/ui\/NewPasswordField)\.ts/,
]);

/** What two or more of the console's parts use. The inspector is no part of it. */
const SHARED = /^(?!.*[\\/]inspect(?:or)?[\\/])/;

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(
    patterns
      .map(({ source }) => source)
      .join('|')
      .replaceAll('\\/', '[\\\\/]'),
  );
}

export default defineConfig({
  plugins: [react()],
  // The server replaces it per answer, see server/app/shell.ts.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    manifest: true,
    outDir: 'dist/web',
    emptyOutDir: true,
    // A worklet inlined as a data: URL would be refused by the content security policy.
    assetsInlineLimit: 0,
    // Browsers of the build's target know module preloads by themselves.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: LIBRARIES, priority: 4 },
            { name: 'common', test: COMMON, priority: 3 },
            { name: 'forms', test: FORMS, priority: 2 },
            { name: 'shared', test: SHARED, priority: 1, minShareCount: 2 },
          ],
        },
      },
      input: { index: 'index.html', inspector: 'inspector.html' },
      // Chakra's recipes are built by calls without a pure mark; unused ones would stay in. Own code must not reuse these names.
      treeshake: {
        manualPureFunctions: [
          'defineConfig',
          'defineRecipe',
          'defineSlotRecipe',
          'defineStyle',
          'mergeConfigs',
          'createSystem',
        ],
        // Emotion keeps them for a helper that nothing here uses; being CommonJS they would stay.
        moduleSideEffects: [{ test: /\/node_modules\/(hoist-non-react-statics|react-is)\//, sideEffects: false }],
      },
    },
  },
});
