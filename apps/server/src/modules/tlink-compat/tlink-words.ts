import type { ThingModel } from '@thingwright/thing-model'

export type TlinkReply = Record<string, unknown>

type Property = ThingModel['properties'][number]

/** Properties of an installation that sensor ids can tell apart; with 2^31 devices the ids stay below 2^53. */
const PROPERTIES = 4_000_000
const ZONE_MS = 8 * 3_600_000
/** Most rows of a page in that family. */
export const MAX_PAGE = 100

/** A sensor is a property of one device: its id is made of both numbers. */
export const sensorIdOf = (device: number, property: number): number => device * PROPERTIES + property

export function readSensorId(id: number): { device: number; property: number } {
  return { device: Math.floor(id / PROPERTIES), property: id % PROPERTIES }
}

/** A login as the number that family knows users by: the end of its id. */
export const userNumber = (id: string): number => Number.parseInt(id.slice(-12), 16)

/** `yyyy-MM-dd HH:mm:ss` of UTC+8. */
export function timeText(time: number | string | null): string {
  if (time === null) return ''
  const ms = typeof time === 'string' ? Date.parse(time) : time
  return new Date(ms + ZONE_MS).toISOString().slice(0, 19).replace('T', ' ')
}

/** Null for text that is no such time. */
export function readTime(text: string | undefined): number | null {
  if (!text || !/^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?$/.test(text)) return null
  const ms = Date.parse(`${text.replace(' ', 'T')}${text.length === 16 ? ':00' : ''}Z`)
  return Number.isNaN(ms) ? null : ms - ZONE_MS
}

export function readNumber(value: number | string | undefined): number | null {
  if (value === undefined || value === '') return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : null
}

/** 1 number, 2 switch, 3 place, 4 picture, 5 switch that only reports, 6 levels, 8 text. */
export function sensorTypeOf({ dataType, access }: Pick<Property, 'dataType' | 'access'>): number {
  switch (dataType.type) {
    case 'bool':
      return access === 'r' ? 5 : 2
    case 'geo':
      return 3
    case 'file':
      return 4
    case 'enum':
      return 6
    case 'int32':
    case 'int64':
    case 'float':
    case 'double':
      return 1
    default:
      return 8
  }
}

/** The data type and access of a sensor that such a program asks for. */
export function propertyOf(type: number): { dataType: { type: string }; access: 'r' | 'rw' } | null {
  switch (type) {
    case 1:
      return { dataType: { type: 'double' }, access: 'rw' }
    case 2:
      return { dataType: { type: 'bool' }, access: 'rw' }
    case 3:
      return { dataType: { type: 'geo' }, access: 'r' }
    case 5:
      return { dataType: { type: 'bool' }, access: 'r' }
    case 6:
      return { dataType: { type: 'int32' }, access: 'rw' }
    case 4:
    case 7:
    case 8:
      return { dataType: { type: 'string' }, access: 'rw' }
    default:
      return null
  }
}

/** What a written value is to the thing model; null: it cannot be that. */
export function valueFor({ dataType }: Pick<Property, 'dataType'>, value: number | string): unknown {
  const number = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value)
  switch (dataType.type) {
    case 'bool':
      return number === 1 ? true : number === 0 ? false : null
    case 'int32':
    case 'float':
    case 'double':
      return Number.isFinite(number) ? number : null
    case 'int64':
    case 'string':
      return String(value)
    case 'enum':
      return Number.isFinite(number) ? number : value
    default:
      return null
  }
}

/** Link types of that family and ours. */
export const LINK_TYPES: Readonly<Record<string, string>> = {
  tcp: 'tcp',
  udp: 'udp',
  modbus: 'modbus_rtu',
  mdtcp: 'modbus_tcp',
  mqtt: 'mqtt',
  tp500: 'mqtt',
  coap: 'coap',
  http: 'http',
}
