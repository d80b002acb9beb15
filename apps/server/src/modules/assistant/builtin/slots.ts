import type { Tool } from '../../../lib/tools/tools.ts'
import { readNumber } from '../words/number-words.ts'
import words from './builtin-words.json' with { type: 'json' }

export interface Schema {
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  const?: unknown
  items?: Schema
}

/** Words of a tool for the values of its enums: `{ "<input>": { "离线": "offline" } }` in its `.tools.json`. */
interface WithEnumWords {
  enumWords?: Record<string, Record<string, string>>
}

const ON = new RegExp(words.boolean.on, 'iu')
const OFF = new RegExp(words.boolean.off, 'iu')
const QUOTED =
  /^["'\u201c\u201d\u2018\u2019\u300a\u300b\u300c-\u300f\s]+|["'\u201c\u201d\u2018\u2019\u300a\u300b\u300c-\u300f\s]+$/g
const NUMBER = /^([+-]?\d+(?:[.,]\d+)?)\s*(?:[\p{L}%\u00b0\u2103\u2109/\u00b2\u00b3]{0,12})$/u
const LEAD = new RegExp(words.names.lead, 'iu')
const TAIL = new RegExp(words.names.tail, 'iu')
const GENERIC = new RegExp(words.names.generic, 'iu')
const IMPLAUSIBLE = new RegExp(words.names.implausible, 'iu')
const PRONOUN = new RegExp(words.pronoun, 'iu')
/** Inputs that name something which is there. */
const THINGS = new Set([
  'device',
  'product',
  'group',
  'member',
  'role',
  'firmware',
  'campaign',
  'subscription',
  'api_key',
  'property',
  'service',
])
const VERSION = /^[\x21-\x7e]+$/
const LONGEST_NAME = 140
const BETWEEN = new RegExp(words.listBetween, 'iu')

/** The inputs of a tool by name. */
export function propertiesOf(tool: Tool): Record<string, Schema> {
  return (tool.input as { properties?: Record<string, Schema> }).properties ?? {}
}

/**
 * What a slot's text means for an input of a tool.
 * @returns undefined when it cannot be meant: a number is asked for and this is none
 */
export function readSlot(tool: Tool, name: string, text: string): unknown {
  const schema = propertiesOf(tool)[name]
  if (THINGS.has(name) && schema?.type === 'string') return nameOf(text)
  if (name === 'name' && schema?.type === 'string')
    return text.replace(QUOTED, '').replace(LEAD, '').replace(QUOTED, '').trim() || undefined
  const said = text.replace(QUOTED, '').trim()
  if (said === '' || (name === 'version' && !VERSION.test(said))) return undefined
  if (!schema) return said
  const enumWords = (tool.words as WithEnumWords).enumWords?.[name]
  return readValue(schema, said, enumWords)
}

/**
 * The name in what was said about a thing: without "the", "called", 这个. Unquoted words that nobody calls a thing by
 * ("all devices", 怎么) are no name: another phrase is meant then.
 */
function nameOf(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST_NAME) return undefined
  const bare = trimmed.replace(QUOTED, '').trim()
  if (bare === '' || PRONOUN.test(bare)) return bare || undefined
  if (bare !== trimmed && bare.length + 2 >= trimmed.length) return bare
  const name = bare.replace(LEAD, '').replace(TAIL, '').replace(QUOTED, '').trim()
  return name === '' || GENERIC.test(name) || IMPLAUSIBLE.test(name) ? undefined : name
}

function readValue(schema: Schema, said: string, enumWords?: Record<string, string>): unknown {
  const choices = schema.enum ?? schema.anyOf?.map(one => one.const)
  if (choices && choices.length > 0 && choices.every(choice => choice !== undefined)) {
    const wanted = said.toLowerCase()
    const word = enumWords && Object.entries(enumWords).find(([key]) => key.toLowerCase() === wanted)?.[1]
    return choices.find(choice => String(choice).toLowerCase() === wanted || String(choice) === word)
  }
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const number = readNumber(NUMBER.exec(said)?.[1]?.replace(',', '.') ?? said)
      return number === null || (schema.type === 'integer' && !Number.isInteger(number)) ? undefined : number
    }
    case 'boolean':
      return ON.test(said) ? true : OFF.test(said) ? false : undefined
    case 'array':
      return said.split(BETWEEN).flatMap(one => readValue(schema.items ?? {}, one.trim()) ?? [])
    default:
      return said
  }
}
