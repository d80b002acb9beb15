import type { DataType, Property, ThingEvent, ThingModel } from '@thingwright/thing-model/model'

/** Three quarters of the way between two bounds, in steps that read well. */
function between(min: number, max: number, whole: boolean): number {
  const value = min + (max - min) * 0.75
  return whole ? Math.round(value) : Number(value.toPrecision(3))
}

/** A value of the type that looks like one a device would send. */
export function exampleValue(type: DataType, decimals?: number): unknown {
  switch (type.type) {
    case 'bool':
      return true
    case 'int32': {
      if (type.min === undefined && type.max === undefined) return 42
      return between(type.min ?? Math.min(0, type.max ?? 0), type.max ?? Math.max(100, (type.min ?? 0) + 100), true)
    }
    case 'float':
    case 'double': {
      if (type.min === undefined && type.max === undefined) return decimals === 0 ? 22 : 21.5
      const low = type.min ?? Math.min(0, type.max ?? 0)
      return between(low, type.max ?? Math.max(100, low + 100), decimals === 0)
    }
    case 'int64':
      return type.min ?? type.max ?? 42
    case 'string':
      return 'ok'.slice(0, type.maxLength)
    case 'enum':
      return type.items.at(-1)?.value
    case 'date':
      return 1_767_225_600_000
    case 'struct':
      return Object.fromEntries(
        type.fields.map(field => [field.identifier, exampleValue(field.dataType, field.decimals)]),
      )
    case 'array':
      return [exampleValue(type.element, decimals)]
    case 'geo':
      return { lng: 121.4737, lat: 31.2304 }
    case 'file':
      return 'https://example.com/1.jpg'
    case 'json':
      return { any: 'thing' }
    case 'bytes':
      return '01ff'
    case 'password':
      return 'secret'
    case 'duration':
      return 90_000
    case 'colour':
      return '#1f5eff'
  }
}

const reported = (model: ThingModel): Property[] => model.properties.filter(property => property.access !== 'w')

/** The shapes of a property post, from the model: plain, with a time, and several times at once. */
export function examplePosts(model: ThingModel, now: number): { plain: unknown; timed: unknown; batch: unknown } {
  const values = Object.fromEntries(
    reported(model).map(property => [property.identifier, exampleValue(property.dataType, property.decimals)]),
  )
  const [first] = reported(model)
  const one = first ? { [first.identifier]: exampleValue(first.dataType, first.decimals) } : {}
  return {
    plain: values,
    timed: { ts: now, values },
    batch: [
      { ts: now - 60_000, values: one },
      { ts: now, values: one },
    ],
  }
}

/** The payload of an event. */
export function exampleEvent(event: ThingEvent, now: number): unknown {
  return {
    ts: now,
    params: Object.fromEntries(
      event.params.map(param => [param.identifier, exampleValue(param.dataType, param.decimals)]),
    ),
  }
}

/** What the platform sends to set the writable properties. */
export function exampleSet(model: ThingModel): unknown {
  return {
    id: '019a…',
    params: Object.fromEntries(
      model.properties
        .filter(property => property.access !== 'r')
        .slice(0, 2)
        .map(property => [property.identifier, exampleValue(property.dataType, property.decimals)]),
    ),
  }
}
