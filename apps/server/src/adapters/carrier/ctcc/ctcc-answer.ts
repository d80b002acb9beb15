import { CarrierError, type CarrierFault } from '../../../modules/sim-cards/carrier.port.ts'
import words from './ctcc-words.json' with { type: 'json' }

const FAULTS: Readonly<Record<string, CarrierFault>> = {
  '-1': 'credentials',
  '-2': 'refused',
  '-3': 'credentials',
  '-4': 'card_unknown',
  '-7': 'frequency',
  '101004': 'frequency',
  '101006': 'unavailable',
}
const OK = new Set(['0', '0000'])
const CODES = ['resultcode', 'result', 'iresult', 'rspcode', 'code']
const MESSAGES = ['resultmsg', 'smsg', 'rspdesc', 'msg', 'message', 'resultdesc']
/** Units of `12.5MB` in kilobytes. */
const UNITS: Readonly<Record<string, number>> = { b: 1 / 1024, kb: 1, mb: 1024, gb: 1024 ** 2 }

/** The answer of a call: values by their names in lower case, the first one of each name, and the object of JSON. */
export interface CtccAnswer {
  values: ReadonlyMap<string, string>
  /** Every value of a name, in order. */
  all(name: string): string[]
  json: Record<string, unknown> | null
}

/**
 * Reads an answer, which is JSON, XML, or a code and a text with a full-width colon, whatever the call.
 * @throws CarrierError with the carrier's own code and words
 */
export function readAnswer(text: string): CtccAnswer {
  const pairs = pairsOf(text)
  if (pairs.length === 0) {
    const [code, said] = text.trim().split(words.colon)
    if (said !== undefined && code !== undefined && /^-?\w{1,12}$/.test(code)) throw refused(code, said)
    throw new CarrierError('answer', text.slice(0, 200))
  }
  const values = new Map<string, string>()
  for (const [name, value] of pairs) if (!values.has(name)) values.set(name, value)
  const codes = CODES.flatMap(name => values.get(name)?.trim() || [])
  // Some answers carry two codes; one that is no success is the answer.
  const bad = codes.find(code => !OK.has(code) && /^-?\d+$/.test(code))
  const message = MESSAGES.flatMap(name => values.get(name) || [])[0] ?? ''
  if (bad !== undefined) throw refused(bad, message)
  if (codes.length === 0 && !values.has('productmainstatuscd')) throw new CarrierError('answer', text.slice(0, 200))
  return {
    values,
    all: name => pairs.filter(([key]) => key === name).map(([, value]) => value),
    json: text.trim().startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : null,
  }
}

const refused = (code: string, text: string) => new CarrierError(FAULTS[code] ?? 'refused', text.trim(), code)

function pairsOf(text: string): [name: string, value: string][] {
  const start = text.trim()
  if (start.startsWith('{')) {
    try {
      return flat(JSON.parse(start) as unknown)
    } catch {
      throw new CarrierError('answer', start.slice(0, 200))
    }
  }
  if (!start.startsWith('<')) return []
  // Leaves of the document: their names without the prefix.
  return [...start.matchAll(/<(?:[\w.-]+:)?([\w.-]+)(?:\s[^>]*)?>([^<]*)<\/(?:[\w.-]+:)?\1>/g)].map(
    ([, name, value]) => [name!.toLowerCase(), unescaped(value!)] as [string, string],
  )
}

function flat(value: unknown, name = ''): [string, string][] {
  if (Array.isArray(value)) return value.flatMap(item => flat(item, name))
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, key.toLowerCase()))
  return name === '' || value === null || value === undefined ? [] : [[name, String(value)]]
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const unescaped = (text: string) => text.replaceAll(/&(lt|gt|amp|quot|apos);/g, (_, name) => NAMED[name as string]!)

/** `0.00MB`, `12KB`, a number without a unit in kilobytes. */
export function kilobytes(text: string | undefined): number | undefined {
  const parts = /^\s*(\d+(?:\.\d+)?)\s*([KMG]?B)?\s*$/i.exec(text ?? '')
  return parts ? Number(parts[1]) * UNITS[(parts[2] ?? 'KB').toLowerCase()]! : undefined
}

/** Of several products the first that the carrier does not hold itself. */
export function mainStatus(answer: CtccAnswer): { code: string; text: string } {
  const codes = answer.all('productmainstatuscd')
  const names = answer.all('productmainstatusname')
  if (codes.length === 0) throw new CarrierError('answer', 'no productMainStatusCd')
  const at = Math.max(
    0,
    codes.findIndex(code => code !== '6'),
  )
  return { code: codes[at]!, text: names[at] ?? '' }
}

/** `20260131080000` or `2026-01-31`, in Shanghai, as ISO 8601. */
export function timeOf(value: string | undefined): string | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?/.exec((value ?? '').replaceAll(/\D/g, ''))
  if (!parts) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = parts
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}+08:00`)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}
