import { isIdentifier } from '@thingwright/thing-model'
import { compact } from '@thingwright/thing-model/problems'
import { below, type RuleReader } from './problems.ts'
import {
  type Comparison,
  type Condition,
  FENCE_WHENS,
  NUMBER_OPERATORS,
  OPERATORS,
  RULE_LIMITS,
  type Scalar,
  type Source,
} from './rule.ts'

type Input = Record<string, unknown>

const SOURCE = ['property', 'device']
const COMPARISON = ['op', 'value', 'low', 'high', 'values', 'decimals']

/** What each kind of condition may say beside its `type`. */
const FIELDS: Record<Condition['type'], readonly string[]> = {
  all: ['of'],
  any: ['of'],
  not: ['of'],
  held: ['of', 'seconds'],
  repeated: ['of', 'times', 'seconds'],
  compare: [...SOURCE, ...COMPARISON, 'with'],
  online: ['device'],
  offline: ['device'],
  event: ['identifier', 'device', 'where'],
  command_failed: ['device', 'command'],
  geofence: ['fence', 'when', 'seconds', ...SOURCE],
  tick: ['seconds'],
  button: ['key'],
  api: ['key'],
  no_data: [...SOURCE, 'seconds'],
  rate: [...SOURCE, 'op', 'perMinute'],
  jump: [...SOURCE, 'by'],
  stuck: [...SOURCE, 'seconds', 'tolerance'],
  deviation: [...SOURCE, 'seconds', 'sigmas', 'samples'],
}
export const CONDITION_TYPES = Object.keys(FIELDS) as Condition['type'][]

const MOMENTS: readonly Condition['type'][] = ['event', 'command_failed', 'tick', 'button', 'api']

/** Whether a condition holds for a moment only (an event, a button), so that nothing can be said to last. */
export function isMomentary(condition: Condition): boolean {
  switch (condition.type) {
    case 'all':
    case 'any':
      return condition.of.some(isMomentary)
    case 'not':
    case 'held':
      return isMomentary(condition.of)
    // What was seen n times stays so until its time is over.
    case 'repeated':
      return false
    default:
      return MOMENTS.includes(condition.type)
  }
}

/** Reads conditions of one rule; counts them, because each costs something with every message. */
export class ConditionParser {
  private count = 0

  constructor(private readonly reader: RuleReader) {}

  /** @returns undefined where something is wrong, which the reader then knows */
  parse(value: unknown, path: string, depth = 1): Condition | undefined {
    const { reader } = this
    const input = reader.object(value, path)
    if (!input) return undefined
    if (++this.count > RULE_LIMITS.conditions) {
      if (this.count === RULE_LIMITS.conditions + 1)
        reader.flaw(path, 'conditions_too_many', { max: RULE_LIMITS.conditions })
      return undefined
    }
    if (depth > RULE_LIMITS.depth) {
      reader.flaw(path, 'too_deep', { max: RULE_LIMITS.depth })
      return undefined
    }
    const type = reader.choice(input.type, below(path, 'type'), CONDITION_TYPES)
    if (!reader.required(type, input.type, below(path, 'type'))) return undefined
    reader.only(input, path, ['type', ...FIELDS[type]])
    const before = reader.problems.length + reader.flaws.length
    const read = this.read(type, input, path, depth)
    return reader.problems.length + reader.flaws.length === before
      ? (compact(read as Condition) as Condition)
      : undefined
  }

  private read(type: Condition['type'], input: Input, path: string, depth: number): unknown {
    switch (type) {
      case 'all':
      case 'any':
        return { type, of: this.children(input.of, below(path, 'of'), depth) }
      case 'not':
        return { type, of: this.parse(input.of, below(path, 'of'), depth + 1) }
      case 'held': {
        const of = this.parse(input.of, below(path, 'of'), depth + 1)
        if (of && isMomentary(of)) this.reader.flaw(below(path, 'of'), 'momentary_cannot_last')
        return { type, of, seconds: this.seconds(input, path) }
      }
      case 'repeated': {
        const of = this.parse(input.of, below(path, 'of'), depth + 1)
        // Nothing ever says that an event was not seen, so a succession of them would have no end.
        if (of && isMomentary(of) && input.seconds === undefined)
          this.reader.flaw(below(path, 'seconds'), 'momentary_needs_seconds')
        return {
          type,
          of,
          times: this.integer(input, path, 'times', 1, RULE_LIMITS.times),
          seconds: input.seconds === undefined ? undefined : this.seconds(input, path),
        }
      }
      case 'compare':
        return this.compare(input, path)
      case 'online':
      case 'offline':
        return { type, device: this.device(input, path) }
      case 'event':
        return {
          type,
          identifier: this.identifier(input, path, 'identifier'),
          device: this.device(input, path),
          where: input.where === undefined ? undefined : this.where(input.where, below(path, 'where')),
        }
      case 'command_failed':
        return {
          type,
          device: this.device(input, path),
          command: this.reader.someText(input.command, below(path, 'command'), RULE_LIMITS.text),
        }
      case 'geofence':
        return this.geofence(input, path)
      case 'tick':
        return { type, seconds: this.seconds(input, path) }
      case 'button':
      case 'api': {
        const key = this.reader.someText(input.key, below(path, 'key'), RULE_LIMITS.text)
        this.reader.required(key, input.key, below(path, 'key'))
        return { type, key }
      }
      case 'no_data':
        return {
          type,
          property: input.property === undefined ? undefined : this.identifier(input, path, 'property'),
          device: this.device(input, path),
          seconds: this.seconds(input, path),
        }
      case 'rate': {
        const op = this.reader.choice(input.op, below(path, 'op'), NUMBER_OPERATORS)
        this.reader.required(op, input.op, below(path, 'op'))
        const perMinute = this.number(input, path, 'perMinute', -RULE_LIMITS.number, RULE_LIMITS.number)
        return { type, ...this.source(input, path), op, perMinute }
      }
      case 'jump':
        return {
          type,
          ...this.source(input, path),
          by: this.number(input, path, 'by', Number.MIN_VALUE, RULE_LIMITS.number),
        }
      case 'stuck':
        return {
          type,
          ...this.source(input, path),
          seconds: this.seconds(input, path),
          tolerance: this.reader.number(input.tolerance, below(path, 'tolerance'), 0, RULE_LIMITS.number),
        }
      case 'deviation':
        return {
          type,
          ...this.source(input, path),
          seconds: this.seconds(input, path),
          sigmas: this.number(input, path, 'sigmas', 0.1, 100),
          samples: this.reader.integer(input.samples, below(path, 'samples'), 2, 1_000),
        }
    }
  }

  private children(value: unknown, path: string, depth: number): (Condition | undefined)[] {
    const list = this.reader.list(value, path, RULE_LIMITS.conditions)
    if (list.length === 0 && (value === undefined || Array.isArray(value))) this.reader.report(path, 'items_missing')
    return list.map((item, i) => this.parse(item, `${path}[${i}]`, depth + 1))
  }

  private where(value: unknown, path: string): unknown[] {
    return this.reader.objects(value, path, 10).map(({ input, here }) => {
      this.reader.only(input, here, ['param', ...COMPARISON])
      return compact({
        param: this.identifier(input, here, 'param'),
        ...parseComparison(this.reader, input, here, false),
      })
    })
  }

  private compare(input: Input, path: string): unknown {
    const other = input.with === undefined ? undefined : this.reader.object(input.with, below(path, 'with'))
    if (other) this.reader.only(other, below(path, 'with'), SOURCE)
    return {
      type: 'compare',
      ...this.source(input, path),
      ...parseComparison(this.reader, input, path, other !== undefined),
      with: other ? this.source(other, below(path, 'with')) : undefined,
    }
  }

  private geofence(input: Input, path: string): unknown {
    const fence = this.reader.someText(input.fence, below(path, 'fence'), 64)
    this.reader.required(fence, input.fence, below(path, 'fence'))
    const when = this.reader.choice(input.when, below(path, 'when'), FENCE_WHENS)
    this.reader.required(when, input.when, below(path, 'when'))
    // A crossing is a moment: only where the device stands can last.
    if (input.seconds !== undefined && (when === 'enter' || when === 'leave'))
      this.reader.flaw(below(path, 'seconds'), 'momentary_cannot_last')
    return {
      type: 'geofence',
      fence,
      when,
      seconds: input.seconds === undefined ? undefined : this.seconds(input, path),
      property: input.property === undefined ? undefined : this.identifier(input, path, 'property'),
      device: this.device(input, path),
    }
  }

  private source(input: Input, path: string): Source {
    return compact({
      property: this.identifier(input, path, 'property') ?? '',
      device: this.device(input, path),
    } as Source)
  }

  private device(input: Input, path: string): string | undefined {
    return this.reader.someText(input.device, below(path, 'device'), 64)
  }

  private identifier(input: Input, path: string, field: string): string | undefined {
    return parseIdentifier(this.reader, input[field], below(path, field))
  }

  private seconds(input: Input, path: string): number | undefined {
    return this.integer(input, path, 'seconds', 1, RULE_LIMITS.seconds)
  }

  private integer(input: Input, path: string, field: string, min: number, max: number): number | undefined {
    const value = this.reader.integer(input[field], below(path, field), min, max)
    this.reader.required(value, input[field], below(path, field))
    return value
  }

  private number(input: Input, path: string, field: string, min: number, max: number): number | undefined {
    const value = this.reader.number(input[field], below(path, field), min, max)
    this.reader.required(value, input[field], below(path, field))
    return value
  }
}

/** The name of a property, an event or a parameter. It must be there. */
export function parseIdentifier(reader: RuleReader, value: unknown, path: string): string | undefined {
  const text = reader.someText(value, path, RULE_LIMITS.text)
  if (!reader.required(text, value, path)) return undefined
  if (isIdentifier(text)) return text
  reader.flaw(path, 'property_invalid', { text })
  return undefined
}

/** A number, a text or a yes or no. */
export function parseScalar(reader: RuleReader, value: unknown, path: string): Scalar | undefined {
  if (typeof value === 'number') return reader.number(value, path, -RULE_LIMITS.number, RULE_LIMITS.number)
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return reader.text(value, path, RULE_LIMITS.text)
  reader.flaw(path, value === undefined || value === null ? 'field_missing' : 'operator_value')
  return undefined
}

function parseComparison(reader: RuleReader, input: Input, path: string, withOther: boolean): Comparison | undefined {
  const op = reader.choice(input.op, below(path, 'op'), OPERATORS)
  if (!reader.required(op, input.op, below(path, 'op'))) return undefined
  const decimals = reader.integer(input.decimals, below(path, 'decimals'), 0, RULE_LIMITS.decimals)
  const unused = (fields: string[]) => {
    for (const field of fields)
      if (input[field] !== undefined) reader.flaw(below(path, field), 'operator_value', { op })
  }
  const at = below(path, 'value')
  switch (op) {
    case 'between':
    case 'outside': {
      unused(withOther ? ['value', 'values', 'with'] : ['value', 'values'])
      const range = parseRange(reader, input, path)
      return range && { op, ...range }
    }
    case 'in':
    case 'not_in': {
      unused(withOther ? ['value', 'low', 'high', 'with'] : ['value', 'low', 'high'])
      const list = reader.list(input.values, below(path, 'values'), RULE_LIMITS.values)
      if (list.length === 0) reader.report(below(path, 'values'), 'items_missing')
      const values = list.map((item, i) => parseScalar(reader, item, `${below(path, 'values')}[${i}]`))
      return { op, values: values as Scalar[], decimals } as Comparison
    }
    case 'starts':
    case 'ends':
    case 'contains': {
      unused(withOther ? ['low', 'high', 'values', 'with'] : ['low', 'high', 'values'])
      const value = reader.someText(input.value, at, RULE_LIMITS.text)
      reader.required(value, input.value, at)
      return { op, value } as Comparison
    }
    case 'eq':
    case 'ne': {
      unused(withOther ? ['value', 'low', 'high', 'values'] : ['low', 'high', 'values'])
      return { op, value: withOther ? undefined : parseScalar(reader, input.value, at), decimals } as Comparison
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      unused(withOther ? ['value', 'low', 'high', 'values'] : ['low', 'high', 'values'])
      if (withOther) return { op }
      const value = reader.number(input.value, at, -RULE_LIMITS.number, RULE_LIMITS.number)
      reader.required(value, input.value, at)
      return { op, value } as Comparison
    }
  }
}

/** Two limits, the lower one first. */
export function parseRange(reader: RuleReader, input: Input, path: string): { low: number; high: number } | undefined {
  const [low, high] = (['low', 'high'] as const).map(field => {
    const value = reader.number(input[field], below(path, field), -RULE_LIMITS.number, RULE_LIMITS.number)
    reader.required(value, input[field], below(path, field))
    return value
  })
  if (low === undefined || high === undefined) return undefined
  if (low > high) {
    reader.flaw(below(path, 'low'), 'low_not_below_high', { low, high })
    return undefined
  }
  return { low, high }
}
