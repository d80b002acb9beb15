import type { DataType } from './model.ts'

/** A type as one technical line, the same in every language: `int32 0..100 step 5`, `array<double> <=10`. */
export function describeType(dataType: DataType): string {
  switch (dataType.type) {
    case 'int32':
    case 'int64':
    case 'float':
    case 'double': {
      const { type, min, max, step } = dataType
      const range = min === undefined && max === undefined ? '' : ` ${min ?? ''}..${max ?? ''}`
      return `${type}${range}${step === undefined ? '' : ` step ${step}`}`
    }
    case 'string':
    case 'bytes':
    case 'password':
      return dataType.maxLength === undefined ? dataType.type : `${dataType.type} <=${dataType.maxLength}`
    case 'enum':
      return `enum(${dataType.items.map(({ value, name }) => (name === String(value) ? name : `${value}=${name}`)).join(', ')})`
    case 'struct':
      return `struct{${dataType.fields.map(field => `${field.identifier}: ${describeType(field.dataType)}`).join(', ')}}`
    case 'array':
      return `array<${describeType(dataType.element)}>${dataType.maxItems === undefined ? '' : ` <=${dataType.maxItems}`}`
    case 'file':
      return dataType.kind === undefined ? 'file' : `file(${dataType.kind})`
    default:
      return dataType.type
  }
}
