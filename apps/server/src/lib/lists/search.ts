/**
 * Substring search that an index can serve in every script: grams of one and two characters, so that two Chinese
 * characters are found as well as a long English word (design.md §7 Search). A gram is stored as a 32-bit hash of
 * company and gram: an index entry then belongs to one company, and a search never walks through another one's.
 * A collision only adds a candidate, which the exact check on the normalised text removes.
 *
 * The hashes are stored: changing anything here needs a rebuild of the stored columns.
 */

/** Separates the fields inside the searched text; never part of a normalised field. */
const SEPARATOR = '\u0001'

/** One form for what people take for the same: width, compatibility forms and case (NFKC, lower case). */
export function normaliseForSearch(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll('ς', 'σ')
    .replaceAll(/[\0\u0001]/g, '')
    .trim()
}

/** What is stored beside an object so that it can be found. */
export interface SearchIndex {
  /** Normalised fields, for the exact check. */
  text: string
  /** Hashed grams of every field, and one token for each tag. */
  grams: number[]
}

/** @param fields texts that a query may be part of; a query never matches across two of them */
export function searchIndexOf(tenantId: string, fields: readonly string[], tags: readonly string[] = []): SearchIndex {
  const seed = seedOf(tenantId)
  const grams = new Set<number>()
  const texts: string[] = []
  for (const field of fields) {
    const text = normaliseForSearch(field)
    if (text === '') continue
    texts.push(text)
    let previous = ''
    for (const character of text) {
      grams.add(hash(seed, character))
      if (previous) grams.add(hash(seed, previous + character))
      previous = character
    }
  }
  for (const tag of tags) grams.add(tagToken(seed, tag))
  return { text: texts.join(SEPARATOR), grams: [...grams] }
}

/** What to look for: every gram must be there, and the needle be part of the text. */
export interface SearchQuery {
  grams: number[]
  /** Empty when only a tag was asked for. */
  needle: string
}

/** Null when there is nothing to look for (no text, or blanks only, and no tag). */
export function searchQueryOf(tenantId: string, text: string | undefined, tag?: string): SearchQuery | null {
  const seed = seedOf(tenantId)
  const needle = normaliseForSearch(text ?? '')
  const characters = [...needle]
  const grams = new Set<number>()
  if (characters.length === 1) grams.add(hash(seed, needle))
  for (let i = 1; i < characters.length; i++) grams.add(hash(seed, characters[i - 1]! + characters[i]!))
  if (tag !== undefined) grams.add(tagToken(seed, tag))
  return grams.size === 0 ? null : { grams: [...grams], needle }
}

function tagToken(seed: number, tag: string): number {
  return hash(seed, `${SEPARATOR}tag:${tag}`)
}

function seedOf(tenantId: string): number {
  return hash(0x811c9dc5, tenantId.toLowerCase())
}

/** FNV-1a over UTF-16 units with MurmurHash3's finaliser, as a signed 32-bit integer (PostgreSQL's int4). */
function hash(seed: number, text: string): number {
  let h = seed
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    h = Math.imul(h ^ (unit & 0xff), 0x01000193)
    h = Math.imul(h ^ (unit >>> 8), 0x01000193)
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) | 0
}
