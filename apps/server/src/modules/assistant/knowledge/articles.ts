import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locale } from '../../../lib/context.ts'

/**
 * What the product's documentation says on one subject, in one language: `{zh,en}/<id>.md`, which begins with
 * ```
 * title: …
 * keywords: words, that people, use
 * link: /page/of/the/console | Its name
 * ```
 * and a blank line. Every article is there in both languages under the same id (articles.test.ts).
 */
export interface Article {
  id: string
  title: string
  keywords: string
  /** Pages of the console, best first. */
  links: { title: string; to: string }[]
  /** Markdown, without the title. */
  body: string
}

const read = new Map<Locale, Promise<Article[]>>()

/** All articles of a language, read from the folder at the first question. */
export function articles(locale: Locale): Promise<Article[]> {
  let reading = read.get(locale)
  if (!reading) {
    reading = readArticles(locale)
    read.set(locale, reading)
    reading.catch(() => read.delete(locale))
  }
  return reading
}

async function readArticles(locale: Locale): Promise<Article[]> {
  const here = dirname(fileURLToPath(import.meta.url))
  // Beside this file in the sources, beside the program in dist/ (scripts/build.mjs copies it).
  const folder = [join(here, locale), join(here, 'knowledge', locale)].find(existsSync)
  if (!folder) throw new Error(`the assistant's articles are not beside ${here}`)
  const names = (await readdir(folder)).filter(name => name.endsWith('.md')).sort()
  return Promise.all(
    names.map(async name => parseArticle(name.slice(0, -3), await readFile(join(folder, name), 'utf8'))),
  )
}

/** @throws Error naming the article whose head is not as it must be */
export function parseArticle(id: string, text: string): Article {
  const [, head = '', body = ''] = /^((?:\w+: .+\n)+)\n([\s\S]+)$/.exec(text.replaceAll('\r\n', '\n')) ?? []
  const fields = new Map<string, string[]>()
  for (const line of head.trim().split('\n')) {
    const colon = line.indexOf(': ')
    const key = line.slice(0, colon)
    fields.set(key, [...(fields.get(key) ?? []), line.slice(colon + 2).trim()])
  }
  const title = fields.get('title')?.[0]
  const keywords = fields.get('keywords')?.[0]
  if (!title || !keywords || !body.trim()) throw new Error(`article ${id}: title, keywords or text is missing`)
  const links = (fields.get('link') ?? []).map(link => {
    const [to = '', name = title] = link.split(' | ')
    return { to, title: name }
  })
  return { id, title, keywords, links, body: body.trim() }
}
