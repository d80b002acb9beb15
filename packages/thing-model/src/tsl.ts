import type { DataType, EventLevel, Param, Property, ThingEvent, ThingModel, ThingService } from './model.ts'
import { LIMITS } from './model.ts'

/**
 * Alibaba Cloud IoT's thing specification language (TSL), read and written as far as the two models say the same.
 * Source: "Supported TSL features and data types", Alibaba Cloud IoT Platform documentation.
 */

/** Something that had no place on the other side. */
export interface Dropped {
  /** `properties.temp`, `events.alert.code` */
  path: string
  /** The field or type that was lost, or became something else. */
  field: string
  /** What stands in its place; absent: nothing. */
  became?: string
}

export interface TslRead {
  /** Not yet checked: for {@link parseModel}. */
  model: { properties: unknown[]; events: unknown[]; services: unknown[] }
  dropped: Dropped[]
}

type Dict = Record<string, unknown>

const isDict = (value: unknown): value is Dict => typeof value === 'object' && value !== null && !Array.isArray(value)
const dicts = (value: unknown): Dict[] => (Array.isArray(value) ? value.slice(0, 1_000).filter(isDict) : [])
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const numberOf = (value: unknown): number | undefined => {
  if (value === '' || value === null || value === undefined || typeof value === 'object') return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** Whether a document looks like TSL rather than like a model of ours. */
export function isTsl(value: unknown): boolean {
  if (!isDict(value)) return false
  if (isDict(value.profile) || typeof value.schema === 'string') return true
  const looksSo = (item: Dict) =>
    'accessMode' in item || 'callType' in item || 'outputData' in item || isTslType(item.dataType)
  return [...dicts(value.properties), ...dicts(value.events), ...dicts(value.services)].some(looksSo)
}

function isTslType(value: unknown): boolean {
  return isDict(value) && ('specs' in value || value.type === 'text' || value.type === 'int')
}

/** The platform's own: posting, setting and getting properties need no words in our model. */
const OWN_METHODS = new Set(['thing.event.property.post', 'thing.service.property.set', 'thing.service.property.get'])
const OWN_IDENTIFIERS = new Set(['post', 'set', 'get'])

/** Reads TSL from anything. Never throws; what cannot be read is left out and listed. */
export function fromTsl(value: unknown): TslRead {
  const reader = new TslReader()
  const input = isDict(value) ? value : {}
  for (const field of ['functionBlocks', 'services_extend'])
    if (Array.isArray(input[field]) && input[field].length > 0) reader.drop('', field)
  const isOwn = (item: Dict) =>
    OWN_METHODS.has(String(item.method)) || (item.method === undefined && OWN_IDENTIFIERS.has(String(item.identifier)))
  return {
    model: {
      properties: dicts(input.properties).map(item => reader.property(item)),
      events: dicts(input.events)
        .filter(item => !isOwn(item))
        .map(item => reader.event(item)),
      services: dicts(input.services)
        .filter(item => !isOwn(item))
        .map(item => reader.service(item)),
    },
    dropped: reader.dropped,
  }
}

class TslReader {
  readonly dropped: Dropped[] = []

  drop(path: string, field: string, became?: string): void {
    if (this.dropped.length < 500) this.dropped.push({ path, field, ...(became === undefined ? {} : { became }) })
  }

  property(item: Dict): Dict {
    const path = `properties.${String(item.identifier)}`
    this.unknown(item, path, ['identifier', 'name', 'accessMode', 'required', 'desc', 'dataType', 'method', 'custom'])
    return {
      ...this.param(item, path),
      access: item.accessMode === 'rw' || item.accessMode === 'w' ? item.accessMode : 'r',
    }
  }

  event(item: Dict): Dict {
    const path = `events.${String(item.identifier)}`
    this.unknown(item, path, ['identifier', 'name', 'type', 'required', 'desc', 'outputData', 'method', 'custom'])
    return {
      identifier: item.identifier,
      name: item.name,
      level: item.type === 'alert' ? 'warning' : item.type === 'error' ? 'error' : 'info',
      params: this.params(item.outputData, path),
      description: textOf(item.desc),
    }
  }

  service(item: Dict): Dict {
    const path = `services.${String(item.identifier)}`
    const known = ['identifier', 'name', 'callType', 'required', 'desc', 'inputData', 'outputData', 'method', 'custom']
    this.unknown(item, path, known)
    return {
      identifier: item.identifier,
      name: item.name,
      ...(item.callType === 'async' ? { async: true } : {}),
      input: this.params(item.inputData, path),
      output: this.params(item.outputData, path),
      description: textOf(item.desc),
    }
  }

  private params(value: unknown, path: string): Dict[] {
    return dicts(value).map(item => this.param(item, `${path}.${String(item.identifier)}`))
  }

  private param(item: Dict, path: string): Dict {
    const dataType = isDict(item.dataType) ? item.dataType : {}
    const specs = isDict(dataType.specs) ? dataType.specs : {}
    return {
      identifier: item.identifier,
      name: item.name,
      dataType: this.type(dataType, path, 0),
      unit: textOf(specs.unit),
      ...(item.required === true ? { required: true } : {}),
      description: textOf(item.desc),
    }
  }

  private type(dataType: Dict, path: string, depth: number): Dict {
    const specs = isDict(dataType.specs) ? dataType.specs : {}
    if (depth > 8) return { type: 'json' }
    switch (dataType.type) {
      case 'int':
        return { type: 'int32', ...this.range(specs) }
      case 'long':
        return { type: 'int64', ...this.range(specs) }
      case 'float':
      case 'double':
        return { type: dataType.type, ...this.range(specs) }
      case 'bool':
        return { type: 'bool', falseText: textOf(specs['0']), trueText: textOf(specs['1']) }
      case 'enum':
        return {
          type: 'enum',
          items: Object.entries(specs).map(([key, name]) => ({ value: numberOf(key) ?? key, name: String(name) })),
        }
      case 'text':
        return { type: 'string', maxLength: this.length(specs.length, path, LIMITS.stringLength, 'length') }
      case 'date':
        return { type: 'date' }
      case 'struct':
        return {
          type: 'struct',
          fields: dicts(dataType.specs).map(field => ({
            identifier: field.identifier,
            name: field.name,
            dataType: this.type(isDict(field.dataType) ? field.dataType : {}, path, depth + 1),
            unit:
              isDict(field.dataType) && isDict(field.dataType.specs) ? textOf(field.dataType.specs.unit) : undefined,
          })),
        }
      case 'array':
        return {
          type: 'array',
          element: this.type(isDict(specs.item) ? specs.item : {}, path, depth + 1),
          maxItems: this.length(specs.size, path, LIMITS.arrayItems, 'size'),
        }
      default:
        this.drop(path, `dataType ${String(dataType.type)}`, 'json')
        return { type: 'json' }
    }
  }

  private range(specs: Dict): Dict {
    const step = numberOf(specs.step)
    return {
      min: numberOf(specs.min),
      max: numberOf(specs.max),
      step: step !== undefined && step > 0 ? step : undefined,
    }
  }

  private length(value: unknown, path: string, most: number, field: string): number | undefined {
    const length = numberOf(value)
    if (length === undefined || length < 1) return undefined
    if (length > most) this.drop(path, field, String(most))
    return Math.min(Math.floor(length), most)
  }

  private unknown(item: Dict, path: string, known: readonly string[]): void {
    for (const field of Object.keys(item)) if (!known.includes(field)) this.drop(path, field)
  }
}

/** Writes a model as TSL. @param productKey stands in its profile */
export function toTsl(model: ThingModel, productKey: string): { tsl: Dict; dropped: Dropped[] } {
  const writer = new TslWriter()
  const properties = model.properties.map(property => writer.property(property))
  const events = model.events.map(event => writer.event(event))
  const services = model.services.map(service => writer.service(service))
  return {
    tsl: {
      schema: 'https://iotx-tsl.oss-ap-southeast-1.aliyuncs.com/schema.json',
      profile: { version: '1.0', productKey },
      properties,
      events: [
        {
          identifier: 'post',
          name: 'post',
          type: 'info',
          required: true,
          desc: '',
          method: 'thing.event.property.post',
          outputData: properties.map(({ identifier, name, dataType }) => ({ identifier, name, dataType })),
        },
        ...events,
      ],
      services: [
        {
          identifier: 'set',
          name: 'set',
          required: true,
          callType: 'async',
          desc: '',
          method: 'thing.service.property.set',
          inputData: properties
            .filter(({ accessMode }) => accessMode !== 'r')
            .map(({ identifier, name, dataType }) => ({ identifier, name, dataType })),
          outputData: [],
        },
        ...services,
      ],
    },
    dropped: writer.dropped,
  }
}

/** Fields of a property that TSL has no words for. */
const OURS = [
  'ename',
  'decimals',
  'group',
  'sort',
  'icon',
  'widget',
  'history',
  'retentionDays',
  'mapping',
  'outOfRange',
  'store',
  'late',
  'default',
] as const
const LEVELS: Record<EventLevel, string> = { info: 'info', warning: 'alert', error: 'error' }

class TslWriter {
  readonly dropped: Dropped[] = []

  private drop(path: string, field: string, became?: string): void {
    this.dropped.push({ path, field, ...(became === undefined ? {} : { became }) })
  }

  property(property: Property): Dict & { identifier: string; name: string; accessMode: string; dataType: Dict } {
    const path = `properties.${property.identifier}`
    for (const field of OURS) if (property[field] !== undefined) this.drop(path, field)
    return { ...this.param(property, path), accessMode: property.access, required: property.required === true }
  }

  event(event: ThingEvent): Dict {
    const path = `events.${event.identifier}`
    if (event.ename) this.drop(path, 'ename')
    return {
      identifier: event.identifier,
      name: event.name,
      type: LEVELS[event.level],
      required: false,
      desc: event.description ?? '',
      method: `thing.event.${event.identifier}.post`,
      outputData: event.params.map(param => this.param(param, `${path}.${param.identifier}`)),
    }
  }

  service(service: ThingService): Dict {
    const path = `services.${service.identifier}`
    for (const field of ['ename', 'timeoutMs', 'danger', 'confirmText'] as const)
      if (service[field] !== undefined) this.drop(path, field)
    const params = (list: Param[]) => list.map(param => this.param(param, `${path}.${param.identifier}`))
    return {
      identifier: service.identifier,
      name: service.name,
      callType: service.async ? 'async' : 'sync',
      required: false,
      desc: service.description ?? '',
      method: `thing.service.${service.identifier}`,
      inputData: params(service.input),
      outputData: params(service.output),
    }
  }

  private param(param: Param, path: string): { identifier: string; name: string; desc: string; dataType: Dict } {
    const dataType = this.type(param.dataType, path)
    if (param.unit && isDict(dataType.specs)) dataType.specs.unit = param.unit
    else if (param.unit) this.drop(path, 'unit')
    return { identifier: param.identifier, name: param.name, desc: param.description ?? '', dataType }
  }

  private type(dataType: DataType, path: string): Dict {
    const text = (length: number): Dict => {
      this.drop(path, `dataType ${dataType.type}`, 'text')
      return { type: 'text', specs: { length: String(length) } }
    }
    switch (dataType.type) {
      case 'bool':
        return { type: 'bool', specs: { '0': dataType.falseText ?? '0', '1': dataType.trueText ?? '1' } }
      case 'int32':
        return { type: 'int', specs: range(dataType) }
      case 'int64':
        this.drop(path, 'dataType int64', 'double')
        return { type: 'double', specs: range(dataType) }
      case 'float':
      case 'double':
        return { type: dataType.type, specs: range(dataType) }
      case 'enum':
        if (dataType.items.some(item => typeof item.value !== 'number')) return text(64)
        return { type: 'enum', specs: Object.fromEntries(dataType.items.map(({ value, name }) => [value, name])) }
      case 'string':
        return { type: 'text', specs: { length: String(dataType.maxLength ?? LIMITS.stringLength) } }
      case 'date':
        return { type: 'date', specs: {} }
      case 'struct':
        return { type: 'struct', specs: dataType.fields.map(field => this.param(field, `${path}.${field.identifier}`)) }
      case 'array':
        return {
          type: 'array',
          specs: { size: String(dataType.maxItems ?? LIMITS.arrayItems), item: this.type(dataType.element, path) },
        }
      case 'geo':
        this.drop(path, 'dataType geo', 'struct')
        return {
          type: 'struct',
          specs: ['lng', 'lat', 'alt'].map(identifier => ({
            identifier,
            name: identifier,
            dataType: { type: 'double', specs: {} },
          })),
        }
      case 'duration':
        this.drop(path, 'dataType duration', 'double')
        return { type: 'double', specs: { min: '0', unit: 'ms' } }
      case 'file':
        return text(LIMITS.fileLength)
      case 'bytes':
        return text((dataType.maxLength ?? LIMITS.bytesLength) * 2)
      case 'password':
        return text(dataType.maxLength ?? LIMITS.passwordLength)
      case 'colour':
        return text(7)
      case 'json':
        return text(LIMITS.stringLength)
    }
  }
}

function range({ min, max, step }: { min?: number | string; max?: number | string; step?: number }): Dict {
  return {
    ...(min === undefined ? {} : { min: String(min) }),
    ...(max === undefined ? {} : { max: String(max) }),
    ...(step === undefined ? {} : { step: String(step) }),
  }
}
