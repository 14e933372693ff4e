import { normalize } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { GLOBAL_STYLES, globalStyles } from './scripts/global-styles.ts';

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
  /contract\/(?:fields|api\/shared)\.ts/,
  /src\/(?:locations|screens\/(?:rows?|shortAddresses|titles)|behaviours\/(?:atRest|takeFocus|firstInvalid|late|lateViews)|effects\/(?:browser\/signal|http\/unanswered))\.ts/,
  /src\/views\/ui\/(?:FailureAlert|SubmitButton|ExternalLink|ScreenLink|TextLink|Logo|CopyButton|TextField|Form|signs|state)\.tsx?/,
]);

/** What the visitor's other screens, such as sign-up, have in common with the console. */
const FORMS = anyOf([
  /contract\/(?:emails|passwords|accounts|members|roles|api\/(?:invitations|user))\.ts/,
  /machines\/shared\/(?:newPassword\/|form\/ends|roleNames)/,
  /src\/(?:effects\/browser\/passwordCheck|views\/ui\/NewPasswordField)\.ts/,
]);

/** What screens of use, money and projects have in common, of which the playground has none. */
const FIGURES =
  /src[\\/]views[\\/](?:usage|metrics|logs|webhooks|project|billing|organization|limits|ui[\\/](?:usage|people|Notice))/;

/**
 * What two or more of the console's parts use. The inspector and the pages that the server writes are no part of it, nor is
 * the code that two dialogs show.
 */
const SHARED = new RegExp(`^(?!.*(?:[\\\\/](?:inspect(?:or)?|src[\\\\/]pages|snippets)[\\\\/]|${FIGURES.source}))`);

/** What runs before the rest of the page has come, in a file of its own. */
const EARLY = /src[\\/]early[\\/]/;

/** What every screen with a session needs. */
const CONSOLE = ['src/effects/provide/console.ts', 'src/views/shell/ConsoleLayout.tsx'];

/**
 * Puts into the console's page which files it needs at once, the early file, whose place among the scripts does not
 * matter, and the names of the files that it fetches for a session.
 */
const pageFiles: Plugin = {
  name: 'page-files',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { path, bundle = {} }) {
      if (path !== '/index.html') return;
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      /** The files of some modules, each with all that it imports. */
      const filesOf = (modules: readonly string[]): Set<string> => {
        const files = new Set<string>();
        const collect = (fileName: string) => {
          if (files.has(fileName)) return;
          files.add(fileName);
          chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(collect);
        };
        for (const module of modules) {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
          if (!chunk) throw new Error(`The build has no file for ${module}.`);
          collect(chunk.fileName);
        }
        return files;
      };
      const [early] = filesOf(['src/early/begin.ts']);
      const atOnce = filesOf(['index.html']);
      const forSession = [...filesOf(CONSOLE)].filter((file) => !atOnce.has(file));
      const nonce = '__CSP_NONCE__';
      return [
        ...[...atOnce].slice(1).map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}`, nonce },
          injectTo: 'head' as const,
        })),
        {
          tag: 'meta',
          attrs: { name: 'console-files', content: forSession.map((file) => `/${file}`).join(' ') },
          injectTo: 'head',
        },
        { tag: 'script', attrs: { type: 'module', async: true, src: `/${early}`, nonce }, injectTo: 'body' },
      ];
    },
  },
};

/** Chakra's reset, variables and global styles in the stylesheet. Chakra would insert them when a page is drawn. */
const chakraStylesheet: Plugin = {
  name: 'chakra-stylesheet',
  enforce: 'pre',
  transform: {
    filter: { id: /global\.css$/ },
    handler: (_code, id) => (normalize(id) === GLOBAL_STYLES ? globalStyles() : undefined),
  },
};

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(
    patterns
      .map(({ source }) => source)
      .join('|')
      .replaceAll('\\/', '[\\\\/]'),
  );
}

export default defineConfig({
  plugins: [react(), pageFiles, chakraStylesheet],
  // The server replaces it per answer, see server/app/shell.ts.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    manifest: true,
    chunkSizeWarningLimit: 700,
    outDir: 'dist/web',
    emptyOutDir: true,
    // A worklet inlined as a data: URL would be refused by the content security policy.
    assetsInlineLimit: 0,
    // The page itself says what to fetch beforehand, see `pageFiles`.
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'early', test: EARLY, priority: 5 },
            { name: 'libraries', test: LIBRARIES, priority: 4 },
            { name: 'common', test: COMMON, priority: 3 },
            { name: 'forms', test: FORMS, priority: 2 },
            { name: 'shared', test: SHARED, priority: 1, minShareCount: 2 },
            { name: 'figures', test: FIGURES, priority: 0, minShareCount: 2 },
          ],
        },
      },
      input: {
        index: 'index.html',
        inspector: 'inspector.html',
        document: 'document.html',
        early: 'src/early/begin.ts',
      },
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
