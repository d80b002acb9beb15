import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { forbidInBundle } from './build/forbid-in-bundle.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The page that a company's customers see: a program of its own, with nothing of the console in it. */
export default defineConfig({
  root: at('.'),
  base: '/cloud-page/',
  publicDir: false,
  plugins: [react(), forbidInBundle(['typebox', 'antd', '@tanstack', 'react-router', 'i18next', 'zustand'])],
  build: {
    outDir: at('../../dist/web/cloud-page'),
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { input: at('./page.html') },
  },
})
