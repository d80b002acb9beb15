import { CARD_TERMS } from '@thingwright/contracts/sim-cards.words'
import { instantOf } from '../../lib/zoned-time.ts'
import words from './sim-card-words.json' with { type: 'json' }

type Term = (typeof CARD_TERMS)[number]

const MOST_MB = 1e9
const MOST_PERCENT = 1_000
const SECOND_MS = 1_000
const DAY =
  /^(\d{4})(?:[-/.]|\u5e74)(\d{1,2})(?:[-/.]|\u6708)(\d{1,2})\u65e5?(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

// What a cell of a card table says; undefined: nothing that its column may hold.

/** A type of card, in either language. */
export function termOf(text: string): Term | undefined {
  const said = text.toLowerCase()
  return CARD_TERMS.find(term => words.termsSaid[term].split('|').includes(said))
}

/** Yes or no, in either language. */
export function yesNoOf(text: string): boolean | undefined {
  const said = text.toLowerCase()
  if (words.yesSaid.split('|').includes(said)) return true
  return words.noSaid.split('|').includes(said) ? false : undefined
}

/** Megabytes, with or without their unit, as kilobytes. */
export function megabytesOf(text: string): number | undefined {
  const digits = /^(\d+(?:\.\d+)?)\s*(?:mb)?$/i.exec(text.replaceAll(',', ''))?.[1]
  return digits !== undefined && Number(digits) <= MOST_MB ? Number(digits) * 1024 : undefined
}

/** Whole percent of 1 to 1,000, with or without the sign. */
export function percentOf(text: string): number | undefined {
  const digits = /^(\d{1,4})(?:\.0+)?\s*[%％]?$/.exec(text)?.[1]
  return digits !== undefined && Number(digits) >= 1 && Number(digits) <= MOST_PERCENT ? Number(digits) : undefined
}

/** A day, or a time of a day, in the company's zone; or an instant with a zone of its own. A day alone is its beginning. */
export function timeOf(text: string, zone: string): Date | undefined {
  if (INSTANT.test(text)) {
    const at = Date.parse(text)
    return Number.isNaN(at) ? undefined : new Date(at)
  }
  const parts = DAY.exec(text)
  if (!parts) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(part => Number(part ?? 0))
  const there = new Date(Date.UTC(year, month - 1, day))
  if (there.getUTCMonth() !== month - 1 || there.getUTCDate() !== day) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  return new Date(instantOf(zone, year, month, day, hour, minute) + second * SECOND_MS)
}
