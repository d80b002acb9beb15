import type { ParsedAddress } from '@thingwright/contracts/addresses.contract'
import { findPhone } from './phone.ts'
import { type Alias, CITY_ALIASES, PROVINCE_ALIASES } from './regions.ts'
import words from './words.json' with { type: 'json' }

/** Marks the beginning of a labelled name, and a place where something was taken out. */
const NAME_MARK = '\u0001'
const GAP = '\u0002'

const longestFirst = (a: string, b: string) => b.length - a.length
const anyOf = (texts: readonly string[]) => [...texts].sort(longestFirst).join('|')
const NAME_LABEL = new RegExp(`(?:${anyOf(words.nameLabels)})\\s*[:]\\s*`, 'g')
const NAME_LABEL_ALONE = new RegExp(`(?<=^|\\s)(?:${anyOf(words.nameLabels)})\\s+`, 'g')
const OTHER_LABEL = new RegExp(`(?:${anyOf(words.otherLabels)})\\s*[:]\\s*`, 'g')
const OTHER_LABEL_ALONE = new RegExp(`(?<=^|\\s)(?:${anyOf(words.otherLabels)})\\s+`, 'g')
const RECEIVED = new RegExp(`\\s*[(]?(?:${anyOf(words.received)})[)]?$`)
const ZIP = new RegExp(`(?<![\\d-])([0-8]\\d{5})(?![\\d-]|\\s*${words.zipUnit})`, 'u')
const SEPARATORS = new RegExp(`[,;|\\t\\r\\n"'[\\]${words.separators}]`, 'g')
const CONTINUES = new RegExp(`^(?:${words.continues})`)
const OWN_DISTRICTS = new RegExp(`^(?:${words.ownDistricts}|-|\\s)+`)
const NO_DISTRICT_START = new RegExp(`^(?:${words.notDistrictStart})`)
const NO_DISTRICT_END = new RegExp(`(?:${words.notDistrictEnd})$`)
const ROAD = new RegExp(words.road)
const INNER_DISTRICT = new RegExp(`^(\\p{Script=Han}{1,8}?(?:${words.innerDistrict}))(.*)$`, 'su')
const NAME_AFTER_NUMBER = new RegExp(`^(.*\\d.*[${words.numberEnd}])(\\p{Script=Han}{2,4})$`, 'su')
const NAME_AFTER_DIGIT = /^(.*\d)(\p{Script=Han}{2,3})$/su
const NATION = new RegExp(`^(?:${anyOf(words.nation)})`)
const HAN = /^\p{Script=Han}+$/u

/**
 * Reads an address line as people paste it from chats, shops and mails: name, phone, province, city, district and detail
 * in any usual order, with or without labels, separators, country code and full-width characters. What is not found is
 * an empty text; nothing is invented except the province of a city that exists only once.
 * @param text at most some hundred characters
 */
export function parseAddress(text: string): ParsedAddress {
  let rest = unify(text)
  const found = findPhone(rest)
  if (found) rest = `${rest.slice(0, found.start)} ${GAP} ${rest.slice(found.end)}`
  let zip = ''
  rest = rest.replace(ZIP, (_, digits: string) => {
    zip = digits
    return ' '
  })
  const tokens = rest.split(/\s+/).filter(token => token !== '')
  const { receiver, remaining } = takeName(tokens, found !== null)
  const place = readPlace(join(remaining).replaceAll(NAME_MARK, '').trim())
  return {
    receiver: receiver || place.name,
    phone: found?.phone ?? '',
    province: place.province,
    city: place.city,
    district: place.district,
    detail: place.detail,
    zip,
  }
}

/** One form of digits, letters, blanks and separators; labels become marks. */
function unify(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .normalize('NFKC')
    .replaceAll(/[\u2010-\u2015]/g, '-')
    .replaceAll(NAME_LABEL, ` ${NAME_MARK}`)
    .replaceAll(NAME_LABEL_ALONE, NAME_MARK)
    .replaceAll(OTHER_LABEL, ' ')
    .replaceAll(OTHER_LABEL_ALONE, ' ')
    .replaceAll(SEPARATORS, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The token that is a person: labelled, or short and no place, best beside the phone. */
function takeName(tokens: readonly string[], hasPhone: boolean): { receiver: string; remaining: string[] } {
  const labelled = tokens.findIndex(token => token.startsWith(NAME_MARK))
  const gap = tokens.indexOf(GAP)
  const without = (at: number) => tokens.filter((token, i) => i !== at && token !== GAP)
  if (labelled !== -1) return { receiver: cleanName(tokens[labelled]!), remaining: without(labelled) }
  const candidates = tokens
    .map((token, at) => ({
      at,
      points: namePoints(token, tokens[at - 1], tokens[at + 1]) + nearness(at, gap, hasPhone),
    }))
    .filter(({ at, points }) => points > 0 && tokens[at] !== GAP)
  // Something must be left to be the address: a line of a single word is no person.
  if (candidates.length === 0 || tokens.filter(token => token !== GAP).length < (hasPhone ? 1 : 2))
    return { receiver: '', remaining: without(-1) }
  const best = candidates.reduce((a, b) => (b.points > a.points ? b : a))
  const latin = latinNeighbours(tokens, best.at)
  return {
    receiver: cleanName(latin.map(at => tokens[at]).join(' ')),
    remaining: tokens.filter((token, i) => !latin.includes(i) && token !== GAP),
  }
}

/** `John Smith` is two tokens and one person. */
function latinNeighbours(tokens: readonly string[], at: number): number[] {
  const isWord = (i: number) => /^[A-Za-z][A-Za-z.'-]*$/.test(tokens[i] ?? '')
  if (!isWord(at)) return [at]
  let first = at
  let last = at
  while (isWord(first - 1)) first--
  while (isWord(last + 1)) last++
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

const nearness = (at: number, gap: number, hasPhone: boolean) => (hasPhone && Math.abs(at - gap) === 1 ? 2 : 0)

function namePoints(token: string, before: string | undefined, after: string | undefined): number {
  const name = cleanName(token)
  if (name === '' || /\d/.test(name) || name.length > 20) return -10
  if (isPlaceName(name)) return -10
  if (HAN.test(name)) {
    if (name.length > 12) return -10
    const address = words.roadEnd.includes(name.at(-1)!) && name.length > 2
    const length = name.length >= 2 && name.length <= 4 ? 4 : name.length === 1 ? 0 : 1
    // At an end of the line stands the person, in its middle the address.
    const edge = before === undefined || after === undefined ? 1 : 0
    return length + edge - (address ? 5 : 0)
  }
  return /^[\p{L}\p{M}·. '-]+$/u.test(name) ? 2 : -1
}

function isPlaceName(token: string): boolean {
  const bare = token.replace(NATION, '')
  if (bare === '') return true
  const start = [...PROVINCE_ALIASES, ...CITY_ALIASES].find(alias => bare.startsWith(alias.text))
  return start !== undefined && (start.whole || bare.length === start.text.length || bare.length > 4)
}

function cleanName(token: string): string {
  return token.replace(NAME_MARK, '').replace(RECEIVED, '').replaceAll(/[():]/g, '').trim().slice(0, 64)
}

/** Chinese parts follow each other without a blank, others keep it. */
function join(tokens: readonly string[]): string {
  return tokens.reduce((line, token) => {
    if (line === '') return token
    const tight = /\p{Script=Han}$/u.test(line) || /^\p{Script=Han}/u.test(token)
    return `${line}${tight ? '' : ' '}${token}`
  }, '')
}

interface Place {
  province: string
  city: string
  district: string
  detail: string
  /** A person who stood directly before or after the address. */
  name: string
}

function readPlace(line: string): Place {
  const start = firstRegion(line)
  if (!start) {
    const district = readDistrict(line)
    return { province: '', city: '', ...district, name: '' }
  }
  const before = line.slice(0, start.at).replace(new RegExp(`(?:${anyOf(words.nation)})$`), '')
  let rest = line.slice(start.at + start.alias.text.length)
  let { province } = start.alias
  let city = start.isCity ? start.alias.name : ''
  if (!start.isCity) {
    const own = CITY_ALIASES.filter(alias => alias.province === province)
    rest = rest.replace(/^[\s-]+/, '')
    const next = own.find(alias => rest.startsWith(alias.text) && !continues(rest, alias))
    if (next) {
      city = next.name
      rest = rest.slice(next.text.length)
    } else if (own.some(alias => alias.name === province)) city = province
  }
  // The municipality is written twice, or its districts are named as such.
  rest = rest.replace(OWN_DISTRICTS, '')
  province = province || start.alias.province
  const { district, detail } = readDistrict(rest)
  const tail = takeTailName(detail)
  const glued = cleanName(before)
  const isName = glued !== '' && glued.length <= 6 && !/\d/.test(glued)
  return {
    province,
    city,
    district,
    detail: isName || before === '' ? tail.detail : `${before}${tail.detail}`,
    name: isName ? glued : tail.name,
  }
}

/** The region that the line begins with: the earliest, the longest, and rather a province than a city. */
function firstRegion(line: string): { at: number; alias: Alias; isCity: boolean } | null {
  let best: { at: number; alias: Alias; isCity: boolean; points: number } | null = null
  for (const isCity of [false, true]) {
    for (const alias of isCity ? CITY_ALIASES : PROVINCE_ALIASES) {
      const at = line.indexOf(alias.text)
      if (at === -1 || continues(line.slice(at), alias)) continue
      const points = -at * 10 + alias.text.length + (isCity ? 0 : 0.5) + (alias.whole ? 5 : 0)
      if (!best || points > best.points) best = { at, alias, isCity, points }
    }
  }
  // Far inside, a name without its kind is a road (Beijing West Road) and not where the address is.
  return best && (best.at <= 6 || best.alias.whole) ? best : null
}

/** A name without its kind that goes on as something smaller: Chaoyang District, Nanjing Road. */
function continues(rest: string, alias: Alias): boolean {
  return !alias.whole && CONTINUES.test(rest.slice(alias.text.length))
}

const DISTRICT = new RegExp(`^(\\p{Script=Han}{1,14}?(?:${anyOf(words.districtEnd)}))(.*)$`, 'su')

function readDistrict(rest: string): { district: string; detail: string } {
  const line = rest.trim()
  const match = DISTRICT.exec(line)
  if (!match) return { district: '', detail: line }
  let [, district, detail] = match as unknown as [string, string, string]
  // The shortest ending may be the middle of something else: a housing estate, a market, a county road.
  if (NO_DISTRICT_START.test(district.at(-1)! + detail) || NO_DISTRICT_END.test(district) || ROAD.test(district))
    return { district: '', detail: line }
  // A county-level city may be followed by the district it was joined to: the smaller one counts.
  if (district.endsWith(words.countyCity)) {
    const inner = INNER_DISTRICT.exec(detail)
    if (inner && !NO_DISTRICT_END.test(inner[1]!) && !ROAD.test(inner[1]!)) {
      district = inner[1]!
      detail = inner[2]!
    }
  }
  return { district, detail: detail.trim() }
}

/** A person directly after the address, with the phone right behind: two to four characters after a number's end. */
function takeTailName(detail: string): { detail: string; name: string } {
  for (const pattern of [NAME_AFTER_NUMBER, NAME_AFTER_DIGIT]) {
    const match = pattern.exec(detail)
    if (match && !words.roadEnd.includes(match[2]!.at(-1)!)) return { detail: match[1]!, name: cleanName(match[2]!) }
  }
  return { detail, name: '' }
}
