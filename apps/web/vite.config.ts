import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { devBoot } from './build/dev-boot.ts'
import { forbidInBundle } from './build/forbid-in-bundle.ts'
import { serviceWorker } from './build/service-worker-plugin.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where the server runs while the console is served by Vite (npm run dev). */
const server = process.env.TW_SERVER_URL ?? `http://127.0.0.1:${process.env.HTTP_PORT ?? 8080}`
const proxied = ['/api', '/oauth', '/device', '/mqtt', '/healthz', '/readyz']

export default defineConfig({
  root: at('.'),
  plugins: [react(), devBoot(server), forbidInBundle(['typebox', '@sinclair/typebox']), serviceWorker()],
  server: {
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
            // Texts that every console page needs arrive together instead of as a handful of tiny files.
            { name: 'texts-zh', test: /src\/(app|lib|ui|ui\/[\w-]+)\/locales\/zh\.json/, priority: 30 },
            { name: 'texts-en', test: /src\/(app|lib|ui|ui\/[\w-]+)\/locales\/en\.json/, priority: 30 },
          ],
        },
      },
    },
  },
})
