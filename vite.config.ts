import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What every page begins with, in two files: many small ones would compress worse and arrive later. */
const LIBRARIES =
  /node_modules[\\/](?:(?:react|react-dom|scheduler|xstate|valibot|stylis|@tanstack|@emotion|@xstate|@pandacss)[\\/]|use-sync-external-store[\\/](?:cjs[\\/]use-sync-external-store-)?shim)/;
const COMMON = /src\/views\/ui\/(FailureAlert|SubmitButton|ExternalLink|Logo|CopyButton|signs|state)\.tsx?|machines\/(root|shared\/(failure|placeholder)|workspace\/select)|contract\/fields/;

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
      output: { codeSplitting: { groups: [{ name: 'libraries', test: LIBRARIES }, { name: 'common', test: COMMON }] } },
      input: { index: 'index.html', inspector: 'inspector.html' },
      // Chakra's recipes are built by calls without a pure mark; unused ones would stay in. Own code must not reuse these names.
      treeshake: {
        manualPureFunctions: ['defineConfig', 'defineRecipe', 'defineSlotRecipe', 'defineStyle', 'mergeConfigs', 'createSystem'],
        // Emotion keeps them for a helper that nothing here uses; being CommonJS they would stay.
        moduleSideEffects: [{ test: /\/node_modules\/(hoist-non-react-statics|react-is)\//, sideEffects: false }],
      },
    },
  },
});
