import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { devBoot } from './build/dev-boot.ts'
import { devVisitedPage } from './build/dev-visited-page.ts'
import { forbidInBundle, forbidInEntry } from './build/forbid-in-bundle.ts'
import { pagePlan } from './build/page-plan.ts'
import { serviceWorker } from './build/service-worker-plugin.ts'
import { slimImports } from './build/slim-imports.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where the server runs while the console is served by Vite (npm run dev). */
const server = process.env.TW_SERVER_URL ?? `http://127.0.0.1:${process.env.HTTP_PORT ?? 8080}`
const proxied = ['/api', '/oauth', '/device', '/mqtt', '/healthz', '/readyz', '/media']

/** What everybody needs, signed in or not: the libraries of `src/lib` (without the query cache), the router, the frame's header. */
const BASE =
  /src\/(lib\/(?!permissions|query-client|server-state|live|upload|(device|company)-tabs)|app\/(router|page-|early-|warm-|service-|guard\/|progress-bar\/|pages\/(route-error|message-page|buttons|pages\.module)|layout\/(header|root-layout|dropdown|icons|notices|layout\.module|console-shell-loader|use-tab-title|menu-match))|features\/([\w-]+\/index\.|assistant\/(float|panel-state|place|status|use-drag|use-screen))|ui\/with-texts)[\w./-]*(?<!\.json)$|node_modules\/zustand\//

/** What a list page stands on (each name is a file of `src/ui` or the frame itself), and the words of the contracts. */
const CONSOLE =
  /(src\/(app\/layout\/(console-shell|(device|company)-tabs)|lib\/(permissions|(device|company)-tabs)|ui\/(list-page\/(list-page|name-cell|use-list-state|use-list-tab)|group-tree\/group-tree|copy-id|number-text|page-header|permission-gate|states|status-tag|tab-bar|thing-icon|time-text|panel))|contracts\/src\/[\w-]+\.words)\.tsx?$/

const areaOf = (id: string) => /src\/features\/([\w-]+)\//.exec(id)?.[1] ?? null

export default defineConfig({
  root: at('.'),
  plugins: [
    react(),
    devBoot(server),
    devVisitedPage(),
    forbidInBundle(['typebox', '@sinclair/typebox']),
    forbidInEntry(['antd', '@tanstack']),
    slimImports(),
    pagePlan(at('./src')),
    serviceWorker(),
  ],
  server: {
    // Outlines of maps lie beside the contracts.
    fs: { allow: [at('../..')] },
    host: '127.0.0.1',
    proxy: Object.fromEntries(proxied.map(path => [path, { target: server, ws: true, changeOrigin: false }])),
  },
  build: {
    outDir: at('../../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Locale and drawing files are few bytes; inlining would only move them into the script.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler|react-router|cookie)\//, priority: 50 },
            {
              name: 'i18n',
              test: /node_modules\/(i18next|react-i18next|html-parse-stringify|void-elements)\//,
              priority: 40,
            },
            // Where every operation lives: for who is signed in.
            { name: 'paths', test: /contracts\/src\/api-paths/, priority: 45 },
            // Texts that everybody needs, and those of every console page, arrive together instead of as tiny files.
            { name: 'texts-zh', test: /src\/(app|lib)\/locales\/zh\.json/, priority: 30 },
            { name: 'texts-en', test: /src\/(app|lib)\/locales\/en\.json/, priority: 30 },
            { name: 'console-zh', test: /src\/ui(\/[\w-]+)?\/locales\/zh\.json/, priority: 30 },
            { name: 'console-en', test: /src\/ui(\/[\w-]+)?\/locales\/en\.json/, priority: 30 },
            { name: 'base', test: BASE, priority: 25 },
            // The console's frame and the parts of a list, with all they stand on: one file for every list page.
            { name: 'console', test: CONSOLE, priority: 20 },
            { name: 'choice', test: /src\/ui\/lazy-select\/select\.tsx$/, priority: 15 },
            { name: 'form', test: /src\/ui\/schema-form\/(form-drawer|schema-form|unsaved-guard)\.tsx$/, priority: 12 },
            // Icons apart from what they stand on: one of them must not bring a page the parts of another.
            {
              name: 'icons',
              test: /node_modules\/@ant-design\/icons(-svg)?\//,
              entriesAware: true,
              entriesAwareMergeThreshold: 6_000,
              includeDependenciesRecursively: false,
              priority: 6,
            },
            // The rest of the component library, by the pages that use it; a handful of small files become one.
            {
              name: 'parts',
              test: /node_modules\/(antd|@rc-component|@ant-design|@tanstack|@babel|dayjs)\//,
              entriesAware: true,
              entriesAwareMergeThreshold: 30_000,
              includeDependenciesRecursively: false,
              priority: 5,
            },
            // What several pages of one area share (its hooks, words and styles), likewise.
            {
              name: areaOf,
              debugName: 'areas',
              test: /src\/features\/[\w-]+\/(hooks|addresses|[\w-]+\.module)\.|\/components\/[\w-]+-(state|status|words)\.tsx?$/,
              minShareCount: 2,
              includeDependenciesRecursively: false,
              priority: 3,
            },
          ],
        },
      },
    },
  },
})
