import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread. Built: the file of that name beside the chunks. From source: the TypeScript file, through tsx, which
 * threads do not inherit.
 * @param near `import.meta.url` of the file that starts it
 * @param names `built` as scripts/build.mjs names the entry; `source` beside the starting file
 */
export function startThread(near: string, names: { built: string; source: string }, options: WorkerOptions): Worker {
  const built = new URL(`./${names.built}.js`, near)
  const own: WorkerOptions = { env: {}, execArgv: [], ...options }
  if (existsSync(fileURLToPath(built))) return new Worker(built, own)
  const source = JSON.stringify(new URL(`./${names.source}`, near).href)
  const loader = createRequire(near).resolve('tsx/esm/api').replace('.cjs', '.mjs')
  const start = `import(${JSON.stringify(loader)}).then(tsx => tsx.tsImport(${source}, ${source}))`
  return new Worker(start, { ...own, eval: true })
}
