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
  plugins: [
    react(),
    forbidInBundle(['typebox', 'antd', '@tanstack', 'react-router', 'i18next', 'zustand', 'react', 'react-dom']),
  ],
  // The elements are those of the editor, which is written for React: visitors get them with Preact (ADR 65).
  resolve: {
    alias: {
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      react: 'preact/compat',
    },
  },
  build: {
    outDir: at('../../dist/web/cloud-page'),
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { input: at('./page.html') },
  },
})
