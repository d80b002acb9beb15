import type { Access, EventLevel, Property, ThingEvent, ThingModel, ThingService } from './model.ts'
import { LIMITS } from './model.ts'
import { parseDataType, parseParams } from './parse-data-type.ts'
import { parseNaming } from './parse-naming.ts'
import { holdsPassword, parsePolicies } from './parse-policies.ts'
import { compact, type ModelProblem, ModelReader } from './problems.ts'

export type ParseResult = { ok: true; model: ThingModel } | { ok: false; problems: ModelProblem[] }

const ACCESS: readonly Access[] = ['r', 'rw', 'w']
const LEVELS: readonly EventLevel[] = ['info', 'warning', 'error']
const TOP = { struct: 0, array: 0 }

/**
 * Reads a thing model from anything. Absent lists are empty, an absent `access` is `r`, an absent `level` is `info`,
 * an absent name is the identifier; fields we do not know are dropped. Never throws; lists at most 100 problems.
 */
export function parseModel(value: unknown): ParseResult {
  const reader = new ModelReader()
  const input = reader.object(value, '') ?? {}
  const model: ThingModel = {
    properties: parseProperties(reader, input.properties),
    events: parseEvents(reader, input.events),
    services: parseServices(reader, input.services),
  }
  return reader.problems.length === 0 ? { ok: true, model } : { ok: false, problems: reader.problems }
}

function parseProperties(reader: ModelReader, value: unknown): Property[] {
  const seen = new Set<string>()
  return reader.objects(value, 'properties', LIMITS.properties).map(({ input, here: path }): Property => {
    const dataType = parseDataType(reader, input.dataType, `${path}.dataType`, TOP)
    const access = reader.choice(input.access, `${path}.access`, ACCESS) ?? (dataType.type === 'password' ? 'w' : 'r')
    if (access !== 'w' && holdsPassword(dataType)) reader.report(`${path}.access`, 'password_readable')
    return compact({
      ...parseNaming(reader, input, path, seen, 'property'),
      dataType,
      unit: reader.someText(input.unit, `${path}.unit`, LIMITS.unit),
      decimals: reader.integer(input.decimals, `${path}.decimals`, 0, LIMITS.decimals),
      access,
      required: reader.boolean(input.required, `${path}.required`),
      group: reader.someText(input.group, `${path}.group`, LIMITS.name),
      sort: reader.integer(input.sort, `${path}.sort`, -1_000_000, 1_000_000),
      icon: reader.someText(input.icon, `${path}.icon`, LIMITS.icon),
      widget: reader.someText(input.widget, `${path}.widget`, LIMITS.name),
      history: reader.boolean(input.history, `${path}.history`),
      retentionDays: reader.integer(input.retentionDays, `${path}.retentionDays`, 1, LIMITS.retentionDays),
      ...parsePolicies(reader, input, path, dataType),
      description: reader.someText(input.description, `${path}.description`, LIMITS.description),
    })
  })
}

function parseEvents(reader: ModelReader, value: unknown): ThingEvent[] {
  const seen = new Set<string>()
  return reader.objects(value, 'events', LIMITS.events).map(({ input, here: path }): ThingEvent => {
    return compact({
      ...parseNaming(reader, input, path, seen, 'other'),
      level: reader.choice(input.level, `${path}.level`, LEVELS) ?? 'info',
      params: parseParams(reader, input.params, `${path}.params`, LIMITS.params, TOP),
      description: reader.someText(input.description, `${path}.description`, LIMITS.description),
    })
  })
}

function parseServices(reader: ModelReader, value: unknown): ThingService[] {
  const seen = new Set<string>()
  return reader.objects(value, 'services', LIMITS.services).map(({ input, here: path }): ThingService => {
    return compact({
      ...parseNaming(reader, input, path, seen, 'other'),
      async: reader.boolean(input.async, `${path}.async`),
      timeoutMs: reader.integer(input.timeoutMs, `${path}.timeoutMs`, 100, LIMITS.timeoutMs),
      danger: reader.boolean(input.danger, `${path}.danger`),
      confirmText: reader.someText(input.confirmText, `${path}.confirmText`, 200),
      input: parseParams(reader, input.input, `${path}.input`, LIMITS.params, TOP),
      output: parseParams(reader, input.output, `${path}.output`, LIMITS.params, TOP),
      description: reader.someText(input.description, `${path}.description`, LIMITS.description),
    })
  })
}
