import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/** A chunk as the bundler describes it, as far as we ask. */
export interface BuiltChunk {
  fileName: string
  facadeModuleId: string | null
  isEntry: boolean
  imports: readonly string[]
  css: readonly string[]
}

/** What an address needs on a first visit: files beside those of the entry, in either language, and its first words. */
export interface PagePlan {
  auth: boolean
  files: string[]
  zh: { files: string[]; title?: string; lead?: string; brand?: string; tagline?: string }
  en: PagePlan['zh']
}

const slash = (path: string) => path.replaceAll('\\', '/')

/** Chunk and everything it imports statically, without what the entry has anyway. */
export function filesOf(chunks: ReadonlyMap<string, BuiltChunk>, names: readonly string[]): string[] {
  const entry = new Set<string>()
  const walk = (name: string, into: Set<string>) => {
    const chunk = chunks.get(name)
    if (!chunk || into.has(name)) return
    into.add(name)
    for (const next of chunk.imports) walk(next, into)
  }
  for (const chunk of chunks.values()) if (chunk.isEntry) walk(chunk.fileName, entry)
  const wanted = new Set<string>()
  for (const name of names) walk(name, wanted)
  const scripts = [...wanted].filter(name => !entry.has(name))
  const styles = new Set(scripts.flatMap(name => chunks.get(name)?.css ?? []))
  return [...scripts, ...styles].map(name => `/${name}`)
}

/** The page modules that a feature's `index.ts` names, by address. */
export function pagesIn(source: string): Record<string, string> {
  const found: Record<string, string> = {}
  const parts = source.split(/'(\/[\w/:*-]+)'\s*:/)
  for (let at = 1; at < parts.length; at += 2) {
    const module = /import\('(\.[^']+)'\)/.exec(parts[at + 1] ?? '')?.[1]
    if (module) found[parts[at]!] = module
  }
  return found
}

/** Keys of the plain texts that a page shows as its title and its line of explanation; absent when they are computed. */
export function headOf(source: string): { title?: string; lead?: string } {
  const at = source.search(/<(ListPage|PageHeader)\b/)
  if (at < 0) return {}
  const head = source.slice(at)
  const title = /\btitle=\{t\('([\w.]+)'\)\}/.exec(head)?.[1]
  const description = /\bdescription=(?:\{t\('([\w.]+)'\)\}|\{\s*\w+\s*\?[\s\S]{0,400}?:\s*t\('([\w.]+)'\)\s*\})/.exec(
    head,
  )
  const lead = description?.[1] ?? description?.[2]
  return { ...(title ? { title } : {}), ...(lead ? { lead } : {}) }
}

/**
 * Writes `page-plan.json`: the server puts an address's part of it into the page, so that its files are asked for all
 * at once instead of one layer after another, and its frame is drawn before the first script has run.
 */
export function pagePlan(src: string): Plugin {
  const early = join(import.meta.dirname, 'early.js')
  const styles = join(import.meta.dirname, 'early.css')
  return {
    name: 'page-plan',
    transformIndexHtml(html) {
      const script = readFileSync(early, 'utf8').replace(/^\s*\/\/.*\n/gm, '')
      const squeezed = script.replace(/\n\s*/g, '\n').trim()
      const css = readFileSync(styles, 'utf8').replace(/\s+/g, ' ').trim()
      return html
        .replace('<!--tw-early-->', () => `${FRAME}<script>${squeezed}</script>`)
        .replace('</head>', () => `<style>${css}</style></head>`)
    },
    generateBundle(_options, bundle) {
      const chunks = new Map<string, BuiltChunk>()
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        const meta = (chunk as { viteMetadata?: { importedCss?: Set<string> } }).viteMetadata
        chunks.set(chunk.fileName, {
          fileName: chunk.fileName,
          facadeModuleId: chunk.facadeModuleId,
          isEntry: chunk.isEntry,
          imports: chunk.imports,
          css: [...(meta?.importedCss ?? [])],
        })
      }
      const chunkOf = (module: string) =>
        Object.values(bundle).find(
          c => c.type === 'chunk' && Object.keys(c.modules).some(id => slash(id) === slash(module)),
        )?.fileName
      const texts = (folder: string, locale: string) => chunkOf(join(folder, 'locales', `${locale}.json`)) ?? ''
      const words = (folder: string, locale: string): Record<string, unknown> => {
        const file = join(folder, 'locales', `${locale}.json`)
        return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {}
      }
      const shell = chunkOf(join(src, 'app/layout/console-shell.tsx'))
      const plans: Record<string, PagePlan> = {}
      for (const id of this.getModuleIds()) {
        if (!/\/features\/[\w-]+\/index\.ts$/.test(slash(id))) continue
        const folder = dirname(id)
        for (const [path, module] of Object.entries(pagesIn(readFileSync(id, 'utf8')))) {
          const file = join(folder, module)
          const page = chunkOf(file)
          if (!page) continue
          const auth = path !== '/index' && !path.startsWith('/alonePage') && !path.startsWith('/page/')
          const head = auth ? headOf(readFileSync(file, 'utf8')) : {}
          const inWords = (locale: 'zh' | 'en'): PagePlan['zh'] => {
            const text = (key: string | undefined, from: string) => {
              const value =
                key === undefined
                  ? undefined
                  : key
                      .split('.')
                      .reduce<unknown>((at, k) => (at as Record<string, unknown> | undefined)?.[k], words(from, locale))
              return typeof value === 'string' && !value.includes('{{') ? value : undefined
            }
            const entries = {
              title: text(head.title, folder),
              lead: text(head.lead, folder),
              brand: text('brand', join(src, 'app')),
              tagline: text('tagline', join(src, 'app')),
            }
            return {
              files: filesOf(chunks, [
                texts(join(src, 'app'), locale),
                ...(auth ? [texts(join(src, 'ui'), locale)] : []),
                texts(folder, locale),
              ]),
              ...(auth ? Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) : {}),
            }
          }
          plans[path] = {
            auth,
            files: filesOf(chunks, [page, ...(auth && shell ? [shell] : [])]),
            zh: inWords('zh'),
            en: inWords('en'),
          }
        }
      }
      this.emitFile({ type: 'asset', fileName: 'page-plan.json', source: JSON.stringify(plans) })
    },
  }
}

const MARK =
  '<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" fill="#1f5eff"/><path d="M14 14 7.5 8.5M14 14l7-5M14 14v7.5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/><circle cx="14" cy="14" r="3.4" fill="#fff"/><circle cx="7.2" cy="8.2" r="2" fill="#fff"/><circle cx="21.2" cy="8.8" r="2" fill="#fff"/><circle cx="14" cy="21.8" r="2" fill="#fff"/></svg>'

/** The console's frame without its content; `early.js` fills the slots and shows it to those who are signed in. */
const FRAME = `<div id="tw-early" hidden aria-hidden="true"><header>${MARK}<span data-slot="brand"></span><small data-slot="tagline"></small></header><aside>${'<i></i>'.repeat(8)}</aside><main><b data-slot="title"></b><p data-slot="lead"></p><section>${'<i></i>'.repeat(16)}</section></main></div>`
