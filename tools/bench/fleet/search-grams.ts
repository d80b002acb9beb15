/**
 * What the server stores beside a device so that it can be found, worked out here because 100,000 devices are put into
 * the database directly. `fleet` compares it with what the server itself stored before it relies on it.
 */
export interface StoredSearch {
  text: string
  grams: number[]
}

const SEPARATOR = '\u0001'

export function storedSearch(tenantId: string, fields: readonly string[], tags: readonly string[]): StoredSearch {
  const seed = hash(0x811c9dc5, tenantId.toLowerCase())
  const grams = new Set<number>()
  const texts = fields.map(field => field.normalize('NFKC').toLowerCase().normalize('NFKC').trim())
  for (const text of texts) {
    let previous = ''
    for (const character of text) {
      grams.add(hash(seed, character))
      if (previous) grams.add(hash(seed, previous + character))
      previous = character
    }
  }
  for (const tag of tags) grams.add(hash(seed, `${SEPARATOR}tag:${tag}`))
  return { text: texts.join(SEPARATOR), grams: [...grams] }
}

/** FNV-1a over UTF-16 units with MurmurHash3's finaliser, as a signed 32-bit integer. */
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
