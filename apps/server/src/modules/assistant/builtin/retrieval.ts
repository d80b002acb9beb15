import type { Locale } from '../../../lib/context.ts'
import { type Article, articles } from '../knowledge/articles.ts'
import words from './builtin-words.json' with { type: 'json' }
import { wordsOf } from './words-of.ts'

export interface Found {
  article: Article
  score: number
  /** How much of what the question is about stands in the article, 0 to 1. */
  coverage: number
  /** Whether it can be trusted to be about the question. */
  sure: boolean
}

/** BM25: how soon a repeated word stops to count, how much the length of an article does. */
const K1 = 1.2
const B = 0.5
/** A word in the title says as much as so many in the text. */
const TITLE = 5
const KEYWORDS = 4

const UNKNOWN = 0.35

/** So much score with so much coverage is enough to answer; tuned on `retrieval.test.ts`. */
const ENOUGH = [
  { score: 8, coverage: 0.35 },
  { score: 4.8, coverage: 0.5 },
  { score: 3, coverage: 0.95 },
]

interface Index {
  articles: Article[]
  counts: Map<string, number>[]
  lengths: number[]
  meanLength: number
  inArticles: Map<string, number>
}

const indexes = new Map<Locale, Promise<Index>>()

/** The articles that answer a question best, best first. */
export async function findArticles(question: string, locale: Locale, limit = 3): Promise<Found[]> {
  const index = await indexOf(locale)
  const asked = [...new Set(wordsOf(question.slice(0, 1000), locale))]
  if (asked.length === 0) return []
  const idf = (word: string) => {
    const n = index.inArticles.get(word) ?? 0
    return Math.log(1 + (index.articles.length - n + 0.5) / (n + 0.5))
  }
  // A word that no article has may be one that people put otherwise, in Chinese also two halves of words side by side.
  const unknown = UNKNOWN * Math.log(1 + index.articles.length)
  const total = asked.reduce((sum, word) => sum + (index.inArticles.has(word) ? idf(word) : unknown), 0)
  const whole = plain(question)
  return index.articles
    .map((article, i) => {
      // Titles are offered as choices: then nothing else is meant.
      if (plain(article.title) === whole) return { article, score: Number.MAX_VALUE, coverage: 1, sure: true }
      const counts = index.counts[i]!
      const long = 1 - B + (B * index.lengths[i]!) / index.meanLength
      let score = 0
      let covered = 0
      for (const word of asked) {
        const count = counts.get(word)
        if (!count) continue
        score += (idf(word) * count * (K1 + 1)) / (count + K1 * long)
        covered += idf(word)
      }
      const coverage = covered / total
      return {
        article,
        score,
        coverage,
        sure: ENOUGH.some(least => score >= least.score && coverage >= least.coverage),
      }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
}

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** One article by its id. @throws Error when there is none */
export async function articleById(id: string, locale: Locale): Promise<Article> {
  const article = (await articles(locale)).find(one => one.id === id)
  if (!article) throw new Error(`there is no article ${id} in ${locale}`)
  return article
}

/** What helps with an error: the article that names its code, else the one about its area. */
export async function articleAbout(code: string, locale: Locale): Promise<Article | null> {
  const all = await articles(locale)
  const id = (words.errorArticles as Record<string, string>)[code.split('.')[0]!]
  return all.find(one => one.body.includes(`\`${code}\``)) ?? all.find(one => one.id === id) ?? null
}

/** Longer articles are cut to what the question is about. */
const WHOLE = 1400

/** The part of an article that answers the question: all of it, or its best paragraphs in their order. */
export function passageOf(article: Article, question: string, locale: Locale): string {
  if (article.body.length <= WHOLE) return article.body
  const asked = new Set(wordsOf(question, locale))
  const paragraphs = article.body.split(/\n{2,}/)
  const ranked = paragraphs
    .map((text, i) => ({ i, text, hits: wordsOf(text, locale).filter(word => asked.has(word)).length }))
    .sort((a, b) => b.hits - a.hits || a.i - b.i)
  const chosen: typeof ranked = []
  let length = 0
  for (const one of ranked) {
    if (chosen.length > 0 && length + one.text.length > WHOLE) continue
    chosen.push(one)
    length += one.text.length
  }
  return chosen
    .sort((a, b) => a.i - b.i)
    .map(({ text }) => text)
    .join('\n\n')
}

function indexOf(locale: Locale): Promise<Index> {
  let building = indexes.get(locale)
  if (!building) {
    building = buildIndex(locale)
    indexes.set(locale, building)
    building.catch(() => indexes.delete(locale))
  }
  return building
}

async function buildIndex(locale: Locale): Promise<Index> {
  const all = await articles(locale)
  const inArticles = new Map<string, number>()
  const lengths: number[] = []
  const counts = all.map(article => {
    const own = new Map<string, number>()
    const add = (text: string, weight: number) => {
      const found = wordsOf(text, locale)
      for (const word of found) own.set(word, (own.get(word) ?? 0) + weight)
      return found.length
    }
    lengths.push(add(article.title, TITLE) + add(article.keywords, KEYWORDS) + add(article.body, 1))
    for (const word of own.keys()) inArticles.set(word, (inArticles.get(word) ?? 0) + 1)
    return own
  })
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return { articles: all, counts, lengths, meanLength, inArticles }
}
