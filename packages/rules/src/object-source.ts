import { below, type RuleReader } from './problems.ts'

/** States of a SIM card that a rule can wait for. */
export const CARD_SOURCE_STATES = ['stopped', 'carrier_hold', 'dormant', 'active', 'pre_cancel', 'cancelled'] as const

/**
 * What a rule of the kind `object` watches: cards, gateways, cameras. They report nothing into the lanes; who looks after
 * them says what is so, and that is held against this.
 */
export type ObjectSource =
  /** So much of its plan is used, in percent. */
  | { type: 'sim.usage'; percent: number }
  | { type: 'sim.status'; state: (typeof CARD_SOURCE_STATES)[number] }
  | { type: 'sim.imei_changed' }
  /** The carrier has seen it offline for so many days. */
  | { type: 'sim.offline_days'; days: number }
  /** It ends in at most so many days. */
  | { type: 'sim.expiring'; days: number }
  | { type: 'lora.gateway'; state: 'offline' | 'online' }
  /** An alarm of the camera's own; `alarmType` absent: any. */
  | { type: 'camera.alarm'; alarmType?: string }

export const OBJECT_SOURCES = [
  'sim.usage',
  'sim.status',
  'sim.imei_changed',
  'sim.offline_days',
  'sim.expiring',
  'lora.gateway',
  'camera.alarm',
] as const satisfies readonly ObjectSource['type'][]

/** Kinds of objects, as alarms name their target. */
export type ObjectKind = 'sim' | 'lora_gateway' | 'camera'

/** What is so of an object now, or what has just happened to it. */
export interface ObjectFact {
  kind: ObjectKind
  /** It has happened: `imei_changed`, `alarm`. null: what is so. */
  moment: string | null
  values: Readonly<Record<string, unknown>>
}

const FIELDS: Record<ObjectSource['type'], readonly string[]> = {
  'sim.usage': ['percent'],
  'sim.status': ['state'],
  'sim.imei_changed': [],
  'sim.offline_days': ['days'],
  'sim.expiring': ['days'],
  'lora.gateway': ['state'],
  'camera.alarm': ['alarmType'],
}

/** Whether it holds; `moment`: it has happened and does not last; null: the fact says nothing of it. */
export function answerOf(source: ObjectSource, { kind, moment, values }: ObjectFact): boolean | 'moment' | null {
  const number = (key: string) => (typeof values[key] === 'number' ? (values[key] as number) : null)
  const happened = (wanted: string) => (moment === wanted ? 'moment' : null)
  if (kind === 'lora_gateway') return source.type === 'lora.gateway' ? values.state === source.state : null
  if (kind === 'camera') {
    if (source.type !== 'camera.alarm') return null
    const fits = source.alarmType === undefined || values.alarmType === source.alarmType
    return fits ? happened('alarm') : null
  }
  if (moment !== null) return source.type === 'sim.imei_changed' ? happened('imei_changed') : null
  switch (source.type) {
    case 'sim.usage': {
      const percent = number('percent')
      return percent === null ? null : percent >= source.percent
    }
    case 'sim.status':
      return values.state === source.state
    case 'sim.offline_days':
      return (number('offlineDays') ?? 0) >= source.days
    case 'sim.expiring': {
      const days = number('daysLeft')
      return days === null ? null : days <= source.days
    }
    default:
      return null
  }
}

/** Reads the source of a rule. @returns undefined where something is wrong, which the reader then knows */
export function parseSource(reader: RuleReader, value: unknown): ObjectSource | undefined {
  if (value === undefined || value === null) {
    reader.flaw('source', 'field_missing')
    return undefined
  }
  const input = reader.object(value, 'source')
  if (!input) return undefined
  const type = reader.choice(input.type, 'source.type', OBJECT_SOURCES)
  if (!reader.required(type, input.type, 'source.type')) return undefined
  reader.only(input, 'source', ['type', ...FIELDS[type]])
  const whole = (field: string, max: number) => {
    const read = reader.integer(input[field], below('source', field), 1, max)
    reader.required(read, input[field], below('source', field))
    return read
  }
  const state = <const T extends readonly string[]>(choices: T) => {
    const read = reader.choice(input.state, 'source.state', choices)
    reader.required(read, input.state, 'source.state')
    return read
  }
  switch (type) {
    case 'sim.usage':
      return { type, percent: whole('percent', 1_000) } as ObjectSource
    case 'sim.status':
      return { type, state: state(CARD_SOURCE_STATES) } as ObjectSource
    case 'sim.offline_days':
    case 'sim.expiring':
      return { type, days: whole('days', 366) } as ObjectSource
    case 'lora.gateway':
      return { type, state: state(['offline', 'online']) } as ObjectSource
    case 'camera.alarm': {
      const alarmType = reader.someText(input.alarmType, 'source.alarmType', 64)
      return { type, ...(alarmType === undefined ? {} : { alarmType }) }
    }
    case 'sim.imei_changed':
      return { type }
  }
}
