import type { ProductFormat } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import { CayenneCodec } from './cayenne/cayenne.codec.ts'
import { type Codec, mismatch, notEncodable } from './codec.ts'
import { isPlainJson, JsonMappingCodec } from './json/json-mapping.codec.ts'
import { LabelCodec } from './label/label.codec.ts'
import { ModbusCodec } from './modbus/modbus.codec.ts'
import { ScriptCodec, type ScriptRunner } from './script/script.codec.ts'

/**
 * A product's format → its codec; null for plain JSON, which is that of the standard topics. The format was checked when
 * it was saved; of one that came another way and cannot be used comes a codec that refuses every frame. Never throws.
 * @param scripts where scripts run
 */
export function compileFormat(
  format: Readonly<Record<string, unknown>>,
  model: CompiledModel,
  scripts: ScriptRunner,
): Codec | null {
  try {
    return codecOf(format, model, scripts)
  } catch (error) {
    return unusable(String(error).slice(0, 200))
  }
}

function unusable(why: string): Codec {
  const detail = `the product's format cannot be used: ${why}`
  return { kind: 'unusable', decode: () => mismatch('', detail), encode: () => notEncodable(detail) }
}

function codecOf(format: Readonly<Record<string, unknown>>, model: CompiledModel, scripts: ScriptRunner): Codec | null {
  if (format.kind === undefined || isPlainJson(format)) return null
  const known = format as unknown as ProductFormat
  switch (known.kind) {
    case 'json':
      return new JsonMappingCodec(known, model)
    case 'label':
      return new LabelCodec(known, model)
    case 'modbus':
      return new ModbusCodec({ ...known, registers: known.registers ?? [] }, model)
    case 'cayenne':
      return new CayenneCodec(known, model)
    case 'script':
      return new ScriptCodec(known, scripts, model)
    default:
      return unusable(`kind ${String(format.kind).slice(0, 32)}`)
  }
}
