import type { Mention, ToolContext } from './tools.ts'

/** Shown where there is no value. */
export const NOTHING = '—'

const clocks = new Map<string, Intl.DateTimeFormat>()

/** `2026-11-22 20:31` in the company's time zone, from ISO 8601 or epoch ms; null: a dash. */
export function showTime(t: Pick<ToolContext, 'timeZone'>, at: string | number | null | undefined): string {
  if (at === null || at === undefined) return NOTHING
  let clock = clocks.get(t.timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('sv-SE', {
      timeZone: t.timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
    clocks.set(t.timeZone, clock)
  }
  return clock.format(new Date(at))
}

/** Name of something that has one in each language; the English one may be missing. */
export function nameIn(t: Pick<ToolContext, 'locale'>, thing: { name: string; ename: string }): string {
  return t.locale === 'en' ? thing.ename || thing.name : thing.name
}

/** How a sentence goes on from one thing to the next in the language of the question. */
export function listed(t: Pick<ToolContext, 'locale'>, names: readonly string[]): string {
  return names.join(t.locale === 'zh' ? '\u3001' : ', ')
}

/** As people compare names: width, case and spaces at the ends do not count. */
export const same = (a: string | null | undefined, b: string): boolean =>
  (a ?? '').normalize('NFKC').trim().toLowerCase() === b.normalize('NFKC').trim().toLowerCase()

/** Of what a search found: the whole matches alone where there are any, at most `limit`. */
export function bestOf<T>(
  found: readonly T[],
  text: string,
  limit: number,
  namesOf: (thing: T) => readonly (string | null | undefined)[],
): T[] {
  const whole = text.trim() === '' ? [] : found.filter(thing => namesOf(thing).some(name => same(name, text)))
  return (whole.length > 0 ? whole : found).slice(0, limit)
}

/** The address of a list of the console, narrowed to a text. */
export const listAt = (address: string, q: string): string => `${address}?q=${encodeURIComponent(q)}`

/** A mention without its address where there is none. */
export function mention(kind: Mention['kind'], id: string, name: string, link?: string): Mention {
  return link === undefined ? { kind, id, name } : { kind, id, name, link }
}
