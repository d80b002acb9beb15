import { trimmedEnd } from '../../../lib/trimmed.ts'
import type { DraftField } from './draft-types.ts'
import words from './draft-words.json' with { type: 'json' }

/** As much of a property as a name is held against. */
export interface KnownProperty {
  identifier: string
  name: string
  ename?: string | undefined
  unit?: string | undefined
  access?: string | undefined
  type: string
  min?: number | undefined
  max?: number | undefined
}

const SYNONYMS = (words.synonyms as [string, string, [number, number] | null][]).map(([concept, pattern, range]) => ({
  concept,
  range,
  is: new RegExp(pattern, 'iu'),
}))
const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_\-.()]+/g, '')

/** What a name speaks of, in a word of ours (`temperature`); null: unknown. */
export function conceptOf(name: string): { concept: string; range: [number, number] | null } | null {
  const text = name.normalize('NFKC').trim()
  return SYNONYMS.find(({ is }) => is.test(text)) ?? null
}

/** Which property each field is; null: none. Each property is taken once, the surest first. */
export function matchProperties(
  fields: readonly DraftField[],
  properties: readonly KnownProperty[],
): (string | null)[] {
  const pairs: { field: number; identifier: string; score: number }[] = []
  fields.forEach((field, i) => {
    for (const property of properties) {
      const score = likeness(field, property)
      if (score > 0) pairs.push({ field: i, identifier: property.identifier, score })
    }
  })
  pairs.sort((a, b) => b.score - a.score || a.field - b.field)
  const result: (string | null)[] = fields.map(() => null)
  const taken = new Set<string>()
  for (const { field, identifier } of pairs) {
    if (result[field] !== null || taken.has(identifier)) continue
    result[field] = identifier
    taken.add(identifier)
  }
  return result
}

function likeness(field: DraftField, property: KnownProperty): number {
  if (property.access === 'w' || field.name === '') return 0
  const wanted = plain(field.name)
  const names = [property.identifier, property.name, property.ename ?? ''].map(plain).filter(name => name !== '')
  const sameUnit = field.unit && property.unit && plain(field.unit) === plain(property.unit) ? 5 : 0
  if (names.includes(wanted)) return 100 + sameUnit
  // "Channel 1 temperature" and temperature2 are not the same thing.
  const number = /\d+/.exec(wanted)?.[0] ?? ''
  if (names.every(name => (/\d+/.exec(name)?.[0] ?? '') !== number)) return 0
  if (names.some(name => name.length > 1 && (name.includes(wanted) || wanted.includes(name)) && wanted.length > 1))
    return 70 + sameUnit
  const concept = conceptOf(field.name)?.concept
  if (concept && names.some(name => conceptOf(name)?.concept === concept)) return 40 + sameUnit
  return 0
}

/** An identifier that a property for the field could have, taken by nobody yet. */
export function suggestIdentifier(field: DraftField, taken: ReadonlySet<string>, place: number): string {
  const joined = field.name
    .normalize('NFKC')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[_\d]+/, '')
  const latin = trimmedEnd(joined, /_/).toLowerCase().slice(0, 40)
  const number = /\d+/.exec(field.name)?.[0] ?? ''
  const concept = conceptOf(field.name)?.concept
  const base = latin.length > 1 ? latin : concept ? `${concept}${number}` : `value_${place + 1}`
  let name = base
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`
  return name
}

/** Whether a value can be what its name says: within the property's limits, else what is usual. */
export function isPlausible(field: DraftField, value: unknown, property: KnownProperty | undefined): boolean {
  if (typeof value !== 'number') return true
  if (!Number.isFinite(value)) return false
  const usual = conceptOf(field.name)?.range
  const low = property?.min ?? usual?.[0]
  const high = property?.max ?? usual?.[1]
  if ((low !== undefined && value < low) || (high !== undefined && value > high)) return false
  return Math.abs(value) < 1e12 && (value === 0 || Math.abs(value) > 1e-9)
}
