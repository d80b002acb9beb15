import regions from './regions.json' with { type: 'json' }
import words from './words.json' with { type: 'json' }

export interface Region {
  province: string
  cities: string[]
}

/** Provinces in the official order with their cities (prefectures, and what stands directly under a province). */
export const REGIONS: readonly Region[] = Object.entries(regions).map(([province, cities]) => ({
  province,
  cities: cities.split(' '),
}))

export function isRegion(province: string, city: string): boolean {
  return REGIONS.some(region => region.province === province && region.cities.includes(city))
}

/** A name as people write it, whole or without its kind. */
export interface Alias {
  text: string
  name: string
  /** Of a city. */
  province: string
  /** Written whole, which is surer. */
  whole: boolean
}

function aliasesOf(name: string, province: string, suffixes: readonly string[]): Alias[] {
  const suffix = suffixes.find(each => name.endsWith(each) && name.length - each.length >= 2)
  const whole = { text: name, name, province, whole: true }
  return suffix ? [whole, { ...whole, text: name.slice(0, -suffix.length), whole: false }] : [whole]
}

const longestFirst = (a: Alias, b: Alias) => b.text.length - a.text.length

export const PROVINCE_ALIASES: readonly Alias[] = REGIONS.flatMap(({ province }) =>
  aliasesOf(province, province, words.provinceSuffixes),
).sort(longestFirst)

/** Cities whose names without their kind would be a province's (Jilin) keep only the whole one. */
export const CITY_ALIASES: readonly Alias[] = REGIONS.flatMap(({ province, cities }) =>
  cities.flatMap(city => aliasesOf(city, province, words.citySuffixes)),
).sort(longestFirst)
