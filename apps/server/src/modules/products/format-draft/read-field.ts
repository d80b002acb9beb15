import { trimmed } from '../../../lib/trimmed.ts'
import words from './draft-words.json' with { type: 'json' }

/** What one line of a manual says of one value, besides where it stands. */
export interface FieldWords {
  /** What is left when everything else was taken away. */
  name: string
  type: 'int' | 'uint' | 'float32' | 'float64' | 'bcd' | 'ascii' | 'bool' | null
  /** Width that the type names, in bits. */
  bits: number | null
  endian: 'big' | 'little' | null
  scale: number | null
  offset: number | null
  unit: string | null
  /** Bytes that always stand there, as hex. */
  constant: string | null
  role: 'head' | 'tail' | 'checksum' | 'time' | 'ignore' | 'when' | 'address' | null
}

const re = (pattern: string, flags = 'iu') => new RegExp(pattern, flags)
const TYPES = words.types.map(([type, pattern]) => ({
  type: type as NonNullable<FieldWords['type']>,
  is: re(pattern!),
}))
const SCALES = words.scale.map(([pattern, way]) => ({ is: re(pattern!), way: way! }))
const OFFSETS = words.offset.map(([pattern, way]) => ({ is: re(pattern!), way: way! }))
const ROLES = words.roles.map(([role, pattern]) => ({
  role: role as NonNullable<FieldWords['role']>,
  is: re(pattern!),
}))
const BIG = re(words.big)
const LITTLE = re(words.little)
const UNIT = re(words.units)
const UNIT_STEP = re(words.unitStep.replace('UNIT', `(?:${words.units})`))
const CONSTANT = re(words.constant)
const NOISE = re(words.noise, 'giu')

/** Byte order that a line names; null: none, or both. */
export function endianOf(line: string): 'big' | 'little' | null {
  const big = BIG.test(line)
  return big === LITTLE.test(line) ? null : big ? 'big' : 'little'
}

export const hexOf = (text: string): string => text.replaceAll(/0x|h\b|[\s,]/gi, '').toLowerCase()

/** Reads a line from which the place of the value was taken out already. */
export function readField(line: string): FieldWords {
  let rest = line
  const take = (is: RegExp): RegExpExecArray | null => {
    const found = is.exec(rest)
    if (found) rest = `${rest.slice(0, found.index)} | ${rest.slice(found.index + found[0].length)}`
    return found
  }
  const endian = endianOf(rest)
  take(BIG)
  take(LITTLE)
  const role = ROLES.find(({ is }) => is.test(rest))?.role ?? null
  const constant = role === 'head' || role === 'tail' || role === 'when' || role === 'address' ? take(CONSTANT) : null
  const offset = numberBy(OFFSETS, take)
  const scale = scaleIn(take)
  let type: FieldWords['type'] = null
  let bits: number | null = null
  for (const one of TYPES) {
    const found = take(one.is)
    if (!found) continue
    // "Float" outweighs what else the line says of signs.
    if (type === null) {
      type = one.type
      const said = /word/i.test(found[0]) ? (/dword/i.test(found[0]) ? 32 : 16) : /short/i.test(found[0]) ? 16 : null
      bits = Number(found.groups?.bits) || Number(/\d{1,2}(?=[- ]?bit)/i.exec(found[0])?.[0]) || said
    }
  }
  const unit = take(UNIT)?.[0].replaceAll(/\s/g, '') ?? null
  return {
    name: nameIn(rest),
    type,
    bits,
    endian,
    scale,
    offset,
    unit: unit && /^\u00b0c$/i.test(unit) ? '\u2103' : unit,
    constant: constant ? hexOf(constant[0]) : null,
    role,
  }
}

function scaleIn(take: (is: RegExp) => RegExpExecArray | null): number | null {
  for (const { is, way } of SCALES) {
    const found = take(is)
    if (!found) continue
    const n = Number(found.groups?.n ?? way)
    if (!Number.isFinite(n) || n === 0) continue
    return way === 'over' ? tidy(1 / n) : tidy(n)
  }
  const step = take(UNIT_STEP)
  return step?.groups?.n ? Number(step.groups.n) : null
}

function numberBy(rules: typeof OFFSETS, take: (is: RegExp) => RegExpExecArray | null): number | null {
  for (const { is, way } of rules) {
    const found = take(is)
    const n = Number(found?.groups?.n?.replaceAll('\u2212', '-').replaceAll(/\s/g, ''))
    if (found && Number.isFinite(n)) return way === 'minus' ? -n : n
  }
  return null
}

const tidy = (n: number) => Number(n.toPrecision(10))

/** The first piece that is a word: cells of a table, or what stands between punctuation. */
function nameIn(rest: string): string {
  const pieces = rest
    .replaceAll(NOISE, ' ')
    .split(/[|\t,;:=()[\]{}<>"'\uff0c\uff1b\uff1a\uff08\uff09\u3010\u3011\u3002\u3001\u2192]+|\s{2,}|\s-+\s/u)
    .map(piece => trimmed(piece, /[\s.\-_~#*]/))
    .filter(piece => /\p{L}/u.test(piece))
  return (pieces[0] ?? '').slice(0, 64)
}
