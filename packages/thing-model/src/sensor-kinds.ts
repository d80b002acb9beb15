import type { Access, DataType } from './model.ts'

/** The eight kinds of the quick mode: picking one fills type, access and control. Their names are texts of the console. */
export const SENSOR_KINDS = ['number', 'switch', 'position', 'picture', 'indicator', 'levels', 'video', 'text'] as const
export type SensorKindName = (typeof SENSOR_KINDS)[number]

export interface SensorKind {
  kind: SensorKindName
  dataType: DataType
  access: Access
  widget: string
  /** Digits shown, for numbers. */
  decimals?: number
}

const KINDS: Record<SensorKindName, SensorKind> = {
  number: { kind: 'number', dataType: { type: 'double' }, access: 'r', widget: 'number', decimals: 2 },
  switch: { kind: 'switch', dataType: { type: 'bool' }, access: 'rw', widget: 'switch' },
  position: { kind: 'position', dataType: { type: 'geo' }, access: 'r', widget: 'map' },
  picture: { kind: 'picture', dataType: { type: 'file', kind: 'image' }, access: 'r', widget: 'image' },
  indicator: { kind: 'indicator', dataType: { type: 'bool' }, access: 'r', widget: 'indicator' },
  levels: {
    kind: 'levels',
    dataType: { type: 'enum', items: [1, 2, 3].map(value => ({ value, name: String(value) })) },
    access: 'rw',
    widget: 'levels',
  },
  video: { kind: 'video', dataType: { type: 'file', kind: 'video' }, access: 'r', widget: 'video' },
  text: { kind: 'text', dataType: { type: 'string', maxLength: 255 }, access: 'r', widget: 'text' },
}

/** A fresh copy of the kind's settings, to be changed freely. */
export function sensorKind(kind: SensorKindName): SensorKind {
  return structuredClone(KINDS[kind])
}

/** All kinds in the order they are offered. */
export function sensorKinds(): SensorKind[] {
  return SENSOR_KINDS.map(sensorKind)
}

/** The kind a property was probably made with, or null when none fits (then the full editor is shown). */
export function sensorKindOf(property: { dataType: DataType; access: Access }): SensorKindName | null {
  const { dataType, access } = property
  switch (dataType.type) {
    case 'int32':
    case 'int64':
    case 'float':
    case 'double':
      return 'number'
    case 'bool':
      return access === 'r' ? 'indicator' : 'switch'
    case 'geo':
      return 'position'
    case 'enum':
      return 'levels'
    case 'string':
      return 'text'
    case 'file':
      return dataType.kind === 'video' ? 'video' : dataType.kind === 'image' ? 'picture' : null
    default:
      return null
  }
}
