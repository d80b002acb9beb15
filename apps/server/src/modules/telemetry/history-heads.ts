import type { Locale } from '../../lib/context.ts'
import words from './history-words.json' with { type: 'json' }
import type { HistoryHeads } from './telemetry.csv.ts'

/** A property as its model describes it. */
interface Described {
  identifier: string
  name: string | null
  ename: string | null
  unit: string | null
  /** IANA name of the company's zone. */
  zone: string
}

/**
 * What stands over the columns of an exported history: for people the name and unit of each property (and its identifier
 * where two have the same name), for programs the identifiers.
 */
export function headsOf(
  locale: Locale,
  identifiers: readonly string[],
  described: readonly Described[],
  kind: 'names' | 'identifiers',
): HistoryHeads {
  const found = new Map(described.map(property => [property.identifier, property]))
  const names = identifiers.map(identifier => {
    const { name, ename, unit } = found.get(identifier) ?? {}
    const title = (locale === 'en' ? ename || name : name) || identifier
    return unit ? `${title} (${unit})` : title
  })
  const values = names.map((name, at) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} [${identifiers[at]}]`,
  )
  return {
    time: words.time[locale],
    zone: described[0]?.zone ?? 'UTC',
    values: kind === 'names' ? values : identifiers,
  }
}
