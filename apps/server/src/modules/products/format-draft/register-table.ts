import type { ByteOrder, FormatBody, ModbusRegister, RegisterType } from '@thingwright/contracts/format-schemas'
import type { Draft, DraftField, Guess } from './draft-types.ts'
import words from './draft-words.json' with { type: 'json' }
import { readField } from './read-field.ts'

const WORD = new RegExp(words.registerWord, 'iu')
const ADDRESSES = words.registerAddress.map(pattern => new RegExp(pattern, 'iu'))
const FUNCTIONS = words.function.map(([pattern, code]) => ({ is: new RegExp(pattern as string, 'iu'), code }))
const COUNT = new RegExp(words.registerCount, 'iu')
const ORDER = new RegExp(words.byteOrder, 'iu')
const READ_ONLY = new RegExp(words.readOnly, 'iu')
const ROW = new RegExp(words.rowPosition, 'iu')

interface Found {
  address: number
  to: number
  function: 1 | 2 | 3 | 4 | null
  rest: string
  shown: string
}

/** `40001` counts from 1 and says which kind of register it is. */
function plc(text: string): { address: number; function: 1 | 2 | 3 | 4 } {
  const n = Number(text)
  const kind = { 0: 1, 1: 2, 3: 4, 4: 3 }[Math.floor(n / 10_000)] as 1 | 2 | 3 | 4
  return { address: (n % 10_000) - 1, function: kind }
}

function addressIn(line: string, inTable: boolean): Found | null {
  for (const pattern of ADDRESSES) {
    const found = pattern.exec(line)
    if (!found?.groups) continue
    const { groups } = found
    const rest = `${line.slice(0, found.index)} | ${line.slice(found.index + found[0].length)}`
    const shown = found[0].trim()
    if (groups.plc) {
      const first = plc(groups.plc)
      if (first.address < 0) continue
      return { ...first, to: groups.plcTo ? plc(groups.plcTo).address : first.address, rest, shown }
    }
    const hex = groups.hex ?? groups.hexh
    const read = (text: string) => (hex ? Number.parseInt(text, 16) : Number(text))
    const from = read((hex ?? groups.dec)!)
    const last = groups.hexTo ?? groups.hexhTo ?? groups.decTo
    if (from > 65_535) continue
    return { address: from, to: last ? read(last) : from, function: null, rest, shown }
  }
  const row = inTable ? ROW.exec(line) : null
  if (!row?.groups) return null
  const address = Number(row.groups.from)
  return {
    address,
    to: Number(row.groups.to ?? address),
    function: null,
    rest: line.slice(row[0].length),
    shown: row.groups.from!,
  }
}

function functionIn(line: string): 1 | 2 | 3 | 4 | null {
  for (const { is, code } of FUNCTIONS) {
    const found = is.exec(line)
    if (found) return (code ?? Number(found.groups?.code)) as 1 | 2 | 3 | 4
  }
  return null
}

/** Whether the text speaks of registers rather than of bytes. */
export function speaksOfRegisters(lines: readonly string[]): boolean {
  if (lines.some(line => WORD.test(line))) return true
  return lines.filter(line => /(?<![\w.])[34]\d{4}(?![\w.])/.test(line)).length >= 2
}

/** A register table out of the lines of a manual; null: no line names a register and a value. */
export function draftRegisters(lines: readonly string[]): Draft | null {
  if (!speaksOfRegisters(lines)) return null
  const guesses: Guess[] = []
  let general: 1 | 2 | 3 | 4 | null = null
  let order: ByteOrder | null = null
  let inTable = false
  const parts: { field: DraftField; register: Omit<ModbusRegister, 'identifier'> }[] = []
  for (const line of lines) {
    const found = addressIn(line, inTable)
    const own = functionIn(line)
    const field = found ? readField(found.rest.replace(ORDER, ' ').replace(COUNT, ' ').replace(READ_ONLY, ' ')) : null
    if (!found || !field || field.name === '') {
      general = own ?? general
      order = (ORDER.exec(line)?.[0].toUpperCase() as ByteOrder | undefined) ?? order
      inTable ||= WORD.test(line)
      continue
    }
    const counted = COUNT.exec(line)?.groups
    const count =
      found.to > found.address ? found.to - found.address + 1 : Number(counted?.count ?? counted?.count2 ?? 0)
    const code = found.function ?? own ?? general
    if (code === null) guesses.push({ key: 'guessHolding' })
    const kind = code ?? 3
    const dataType = typeOf(field, count, kind)
    const wide = ['int32', 'uint32', 'int64', 'uint64', 'float32', 'float64'].includes(dataType)
    const byteOrder = (ORDER.exec(line)?.[0].toUpperCase() as ByteOrder | undefined) ?? order
    if (wide && !byteOrder) guesses.push({ key: 'guessOrder' })
    if (field.type === null && kind >= 3 && field.unit === '\u2103')
      guesses.push({ key: 'guessSigned', values: { name: field.name } })
    parts.push({
      field: {
        name: field.name,
        unit: field.unit,
        value: dataType === 'bool' ? 'bool' : 'number',
        where: found.shown,
      },
      register: {
        function: kind,
        address: found.address,
        dataType,
        ...(wide && byteOrder && byteOrder !== 'ABCD' ? { byteOrder } : {}),
        ...(field.scale !== null && field.scale !== 1 ? { scale: field.scale } : {}),
        ...(field.offset ? { offset: field.offset } : {}),
        ...(READ_ONLY.test(line) && (kind === 1 || kind === 3) ? { write: 'none' as const } : {}),
      },
    })
  }
  if (parts.length === 0) return null
  return {
    kind: 'modbus',
    fields: parts.map(part => part.field),
    guesses: guesses.filter(
      (guess, i) => guesses.findIndex(one => JSON.stringify(one) === JSON.stringify(guess)) === i,
    ),
    build: (identifiers): FormatBody => ({
      kind: 'modbus',
      registers: parts.flatMap(({ register }, i) => {
        const identifier = identifiers[i]
        return identifier ? [{ identifier, ...register }] : []
      }),
    }),
  }
}

function typeOf(field: ReturnType<typeof readField>, count: number, kind: number): RegisterType {
  if (kind <= 2) return 'bool'
  const bits = field.bits ?? (count > 0 ? count * 16 : null)
  if (field.type === 'float64' || (field.type === 'float32' && bits === 64)) return 'float64'
  if (field.type === 'float32') return 'float32'
  if (field.type === 'bcd') return bits === 32 ? 'bcd32' : 'bcd16'
  // What has degrees goes below zero.
  const signed = field.type === 'int' || (field.type === null && field.unit === '\u2103')
  return bits === 32 ? (signed ? 'int32' : 'uint32') : signed ? 'int16' : 'uint16'
}
