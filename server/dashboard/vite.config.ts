import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The dashboard's build: files with hashed names in dist/server/dashboard, all addresses relative to the page's base. */
export default defineConfig(({ command }) => ({
  root: here,
  base: command === 'serve' ? '/app/' : './',
  plugins: [react()],
  logLevel: 'warn',
  // the sources, served with reload in front of a server that runs on port 3000
  server: { proxy: { '^/(?!app/)': 'http://127.0.0.1:3000' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/server/dashboard', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
}))
