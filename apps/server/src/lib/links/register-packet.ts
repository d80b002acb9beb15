import type { RegisterPacket } from '@thingwright/contracts/links.contract'
import { parseExact } from '../exact-json.ts'
import { PatternError, patternOrProblem } from '../patterns/pattern.ts'
import { trimmed } from '../trimmed.ts'

/** Longest first packet, in bytes. */
export const MAX_REGISTER_BYTES = 512

/** The device that a register packet names. */
export type Registration =
  | { kind: 'line'; productKey: string; deviceNo: string; secret: Buffer }
  /** The number alone. Hex is read in capitals and in small letters, so there may be two. */
  | { kind: 'number'; deviceNos: readonly string[] }

export type RegistrationProblem =
  | 'too_long'
  | 'not_a_line'
  | 'no_match'
  | 'pattern_refused'
  | 'not_json'
  | 'path_empty'
  | 'not_a_number'

const NAME = /^[A-Za-z0-9_.:-]{1,64}$/

/**
 * Reads the first packet of a connection by the product's rule. The full line `{productKey}/{deviceNo}/{deviceSecret}`
 * is understood whatever the rule is. Never throws.
 */
export function readRegistration(rule: RegisterPacket, packet: Buffer): Registration | RegistrationProblem {
  if (packet.length > MAX_REGISTER_BYTES) return 'too_long'
  const line = readLine(packet)
  if (line) return line
  if (rule.kind === 'line') return 'not_a_line'
  if (rule.kind === 'hex') {
    const digits = packet.toString('hex')
    return numbers([digits.toUpperCase(), digits])
  }
  const found = textOf(rule, packet)
  return found.ok ? numbers([found.text]) : found.problem
}

/** The default packet, or null when the bytes are none. Blank bytes around it are left out. */
export function readLine(packet: Buffer): Extract<Registration, { kind: 'line' }> | null {
  const parts = packet.toString('latin1').trim().split('/')
  const [productKey, deviceNo, secret] = parts
  if (parts.length !== 3 || !productKey || !deviceNo || !secret || !NAME.test(productKey) || !NAME.test(deviceNo))
    return null
  return { kind: 'line', productKey, deviceNo, secret: Buffer.from(secret, 'latin1') }
}

/** Reads a JSON path of names and positions: `$.dev.sn`, `dev.list[0].sn`. @returns null when it is none */
export function pathSteps(path: string): (string | number)[] | null {
  const steps: (string | number)[] = []
  const body = path.replace(/^\$\.?/, '')
  if (body === '') return path === '$' ? [] : null
  for (const part of body.split('.')) {
    const found = /^([^.[\]]*)((?:\[\d{1,4}\])*)$/.exec(part)
    if (!found || part === '' || (found[1] === '' && steps.length > 0)) return null
    if (found[1]) steps.push(found[1])
    for (const position of found[2]!.matchAll(/\d+/g)) steps.push(Number(position[0]))
  }
  return steps.length <= 16 ? steps : null
}

type Text = { ok: true; text: string } | { ok: false; problem: RegistrationProblem }

function textOf(rule: RegisterPacket, packet: Buffer): Text {
  if (rule.kind === 'text') return { ok: true, text: bareText(packet.toString('latin1')) }
  if (rule.kind === 'regex') {
    const pattern = patternOrProblem(rule.pattern ?? '')
    // A pattern that an earlier version accepted: no device can register by it until somebody changes it.
    if (pattern instanceof PatternError) return { ok: false, problem: 'pattern_refused' }
    const text = pattern.first(packet)
    return text ? { ok: true, text } : { ok: false, problem: 'no_match' }
  }
  let value: unknown
  try {
    value = parseExact(packet.toString('utf8'))
  } catch {
    return { ok: false, problem: 'not_json' }
  }
  for (const step of pathSteps(rule.path ?? '') ?? []) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      value = undefined
      break
    }
    value = (value as Record<string | number, unknown>)[step]
  }
  return typeof value === 'string' || typeof value === 'number'
    ? { ok: true, text: String(value) }
    : { ok: false, problem: 'path_empty' }
}

function numbers(found: readonly string[]): Registration | RegistrationProblem {
  const deviceNos = [...new Set(found)].filter(text => NAME.test(text))
  return deviceNos.length > 0 ? { kind: 'number', deviceNos } : 'not_a_number'
}

/** Without blanks and zero bytes around it: some DTUs send a fixed field. */
function bareText(text: string): string {
  return trimmed(text, /[\s\0]/)
}
