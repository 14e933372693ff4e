import { normalize } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import {
  fasterChakra,
  GLOBAL_STYLES,
  globalStyles,
  PRESET_FILE,
  PROPERTIES_FILE,
  STYLE_FILES,
  SYSTEM_FILE,
  withoutGlobalStyles,
  withoutUnused,
  withoutUnusedProperties,
  wordsInUse,
} from './scripts/chakra-preset.ts';

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
  /src\/(?:locations|screens\/(?:rows|shortAddresses|titles)|behaviours\/(?:atRest|takeFocus|firstInvalid|late)|effects\/(?:browser\/signal|http\/unanswered))\.ts/,
  /src\/views\/ui\/(?:FailureAlert|SubmitButton|ExternalLink|ScreenLink|TextLink|Logo|CopyButton|TextField|Form|signs|state)\.tsx?/,
]);

/** What the visitor's other screens, such as sign-up, have in common with the console. */
const FORMS = anyOf([
  /contract\/(?:emails|passwords|accounts|members|roles|api\/(?:invitations|shared|user))\.ts/,
  /machines\/shared\/(?:newPassword\/|form\/ends)/,
  /src\/(?:effects\/browser\/passwordCheck|views\/ui\/(?:NewPasswordField|Unsent))\.ts/,
]);

/** What screens of use, money and projects have in common, of which the playground has none. */
const FIGURES =
  /src[\\/]views[\\/](?:usage|metrics|logs|webhooks|project|billing[\\/](?!AddFunds|state)|organization[\\/](?!figures|roles)|limits[\\/](?!words))/;

/** What two or more of the console's parts use. The inspector and the pages that the server writes are no part of it. */
const SHARED = new RegExp(`^(?!.*(?:[\\\\/](?:inspect(?:or)?|src[\\\\/]pages)[\\\\/]|${FIGURES.source}))`);

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

/** Imports fetch nothing beside what they name: the page says what is needed before, and all styles are in one file. */
const plainImports: Plugin = {
  name: 'plain-imports',
  apply: 'build',
  enforce: 'pre',
  load: (id) => (id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : undefined),
};

/** To the bundler, making a schema might do something else, too: it would keep those that no page uses. */
const pureSchemas: Plugin = {
  name: 'pure-schemas',
  apply: 'build',
  transform: {
    filter: { id: /[\\/](?:contract|machines|src)[\\/].*\.tsx?$/, code: 'valibot' },
    handler: (code) => code.replaceAll(/\bv\.(?!parse|safeParse|assert)[a-z]\w*\(/g, '/* @__PURE__ */ $&'),
  },
};

/** The parts of a row that only the server and the reference read. The console uses no more than the types of these. */
const SERVER_ONLY = /^(?:tag|summary|description|access|action|own|params|query|body|errors|names)$/;

/** Removes those parts from the rows of calls. */
const leanRows: Plugin = {
  name: 'lean-rows',
  apply: 'build',
  transform: {
    filter: { id: /[\\/]contract[\\/]api[\\/]/ },
    handler(code) {
      const parts = this.parse(code)
        .body.flatMap((statement) => {
          const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
          return declared?.type === 'VariableDeclaration' ? declared.declarations : [];
        })
        .flatMap(({ init }) => (init?.type === 'ObjectExpression' ? init.properties : []))
        .filter(
          (part) => part.type === 'Property' && part.key.type === 'Identifier' && SERVER_ONLY.test(part.key.name),
        );
      return parts.reduceRight(
        (rest, { start, end }) => rest.slice(0, start) + rest.slice(end).replace(/^\s*,/, ''),
        code,
      );
    },
  },
};

/** Of Chakra's base preset what is in use, and its global styles in the stylesheet. */
const leanChakra: Plugin = {
  name: 'lean-chakra',
  apply: 'build',
  enforce: 'pre',
  transform: {
    filter: {
      id: /(?:preset-base|system|preflight|global-css|memo|use-resolved-props|factory|utility|token-middleware)\.js$|is-valid-prop\/dist\/index\.mjs$|global\.css$/,
    },
    handler(code, id) {
      const file = normalize(id);
      if (file === PRESET_FILE) return withoutUnused(code, wordsInUse());
      if (file === PROPERTIES_FILE) return withoutUnusedProperties(code, wordsInUse());
      if (file === SYSTEM_FILE) return withoutGlobalStyles(code);
      return file === GLOBAL_STYLES ? globalStyles() : (STYLE_FILES[file] ?? fasterChakra(file, code));
    },
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
  plugins: [react(), pageFiles, plainImports, pureSchemas, leanRows, leanChakra],
  // The server replaces it per answer, see server/app/shell.ts.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    manifest: true,
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
