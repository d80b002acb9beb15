import type { DataType, Param, Property, ThingEvent, ThingService } from '@thingwright/thing-model/model'
import type { Values } from '../../../ui/schema-form/field.ts'

/** A data type as the form edits it: values of an enum as text, with the kind they are of. */
function typeValues(type: DataType): Values {
  switch (type.type) {
    case 'enum':
      return {
        type: 'enum',
        valueKind: type.items.every(item => typeof item.value === 'number') ? 'number' : 'text',
        items: type.items.map(item => ({ ...item, value: String(item.value) })),
      }
    case 'struct':
      return { type: 'struct', valueKind: 'number', fields: type.fields.map(paramValues) }
    case 'array':
      return { ...type, valueKind: 'number', element: typeValues(type.element) }
    default:
      return { valueKind: 'number', ...type }
  }
}

function paramValues(param: Param): Values {
  return { ...param, dataType: typeValues(param.dataType) }
}

export function propertyValues(property: Property): Values {
  const { default: beginning, store, outOfRange, late, ...rest } = property
  return {
    ...rest,
    history: property.history !== false,
    dataType: typeValues(property.dataType),
    outOfRange: outOfRange ?? 'refuse',
    late: late ?? 'keep',
    store: { mode: 'every', ...store },
    ...(beginning === undefined ? {} : { defaultText: defaultText(beginning) }),
  }
}

export function eventValues(event: ThingEvent): Values {
  return { ...event, params: event.params.map(paramValues) }
}

export function serviceValues({ timeoutMs, ...service }: ThingService): Values {
  return {
    ...service,
    async: service.async ? 'async' : 'sync',
    ...(timeoutMs === undefined ? {} : { timeoutSeconds: timeoutMs / 1000 }),
    input: service.input.map(paramValues),
    output: service.output.map(paramValues),
  }
}

/** What was typed, as a data type that the model's own reader checks next. */
function readType(values: Values): Values {
  const { valueKind, ...type } = values
  if (type.type === 'enum')
    type.items = ((type.items ?? []) as Values[]).map(item => ({
      ...item,
      value: valueKind === 'number' ? readEnumNumber(item.value) : item.value,
    }))
  if (type.type === 'struct') type.fields = ((type.fields ?? []) as Values[]).map(readParam)
  if (type.type === 'array') type.element = readType((type.element ?? {}) as Values)
  return type
}

/** A number where the text is one; else the text, which the model's reader or the person will notice. */
function readEnumNumber(text: unknown): unknown {
  const number = Number(text)
  return typeof text === 'string' && text.trim() !== '' && Number.isFinite(number) ? number : text
}

function readParam(values: Values): Values {
  return {
    ...values,
    dataType: readType((values.dataType ?? {}) as Values),
    ...(values.required ? {} : { required: undefined }),
  }
}

const defaultText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** A typed default as a value of its type; what is none is left for the model's reader to complain about. */
function readDefault(text: string, type: string): unknown {
  if (['string', 'file', 'bytes', 'colour'].includes(type)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Lines without any number are none. */
function readMapping(mapping: Values): Values {
  const some = (line: unknown) =>
    typeof line === 'object' && line !== null && Object.values(line).some(value => typeof value === 'number')
  return { ...(some(mapping.up) ? { up: mapping.up } : {}), ...(some(mapping.down) ? { down: mapping.down } : {}) }
}

/** History is kept unless it says otherwise, and flags that are off are left out: equal models have equal JSON. */
export function readProperty(values: Values): Values {
  const { history, required, defaultText: text, mapping, ...rest } = values
  const dataType = readType((values.dataType ?? {}) as Values)
  return {
    ...rest,
    dataType,
    ...(mapping ? { mapping: readMapping(mapping as Values) } : {}),
    ...(typeof text === 'string' && text !== '' ? { default: readDefault(text, String(dataType.type)) } : {}),
    ...(history === false ? { history: false } : {}),
    ...(required ? { required: true } : {}),
  }
}

export function readEvent(values: Values): Values {
  return { ...values, params: ((values.params ?? []) as Values[]).map(readParam) }
}

export function readService(values: Values): Values {
  const { timeoutSeconds, async: callType, danger, ...rest } = values
  return {
    ...rest,
    ...(callType === 'async' ? { async: true } : {}),
    ...(danger ? { danger: true } : {}),
    ...(typeof timeoutSeconds === 'number' ? { timeoutMs: Math.round(timeoutSeconds * 1000) } : {}),
    input: ((values.input ?? []) as Values[]).map(readParam),
    output: ((values.output ?? []) as Values[]).map(readParam),
  }
}
