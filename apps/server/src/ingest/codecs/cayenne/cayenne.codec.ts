import type { CayenneFormat } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import {
  type Codec,
  type CommandToEncode,
  type DecodeFault,
  type DecodeResult,
  type EncodeResult,
  type FramePart,
  notEncodable,
  readBeside,
  unreadable,
} from '../codec.ts'
import { type Linear, linear } from '../shared/linear.ts'
import { type Coerce, coercionOf, numberToWrite } from '../shared/property-value.ts'
import { BY_CODE, BY_NAME, type CayenneType } from './cayenne-types.ts'

interface Channel {
  channel: number
  type: string | null
  identifier: string
  linear: Linear
  coerce: Coerce
}

/** Cayenne Low Power Payload: channel, type, data, one after the other. */
export class CayenneCodec implements Codec {
  readonly kind = 'cayenne'
  private readonly channels: readonly Channel[]
  private readonly byNumber = new Map<number, Channel[]>()

  constructor(
    format: CayenneFormat,
    private readonly model: CompiledModel,
  ) {
    this.channels = (format.channels ?? []).map(line => ({
      channel: line.channel,
      type: line.type ?? null,
      identifier: line.identifier,
      linear: linear(line.scale, line.offset),
      coerce: coercionOf(model, line.identifier),
    }))
    for (const channel of this.channels)
      this.byNumber.set(channel.channel, [...(this.byNumber.get(channel.channel) ?? []), channel])
  }

  decode(frame: Buffer): DecodeResult {
    return this.read(frame)
  }

  explain(frame: Buffer): FramePart[] {
    const parts: FramePart[] = []
    this.read(frame, parts)
    return parts
  }

  private read(frame: Buffer, parts?: FramePart[]): DecodeResult {
    const values: Record<string, unknown> = {}
    const faults: DecodeFault[] = []
    let ts: number | undefined
    let at = 0
    while (at < frame.length) {
      const number = frame[at]!
      const type = BY_CODE.get(frame[at + 1] ?? -1)
      // The next value could begin anywhere: values read so far count, the rest is listed as unread.
      if (!type) {
        faults.push(unreadable(`@${at + 1}`, `unknown data type ${frame[at + 1] ?? 'at the end'}`))
        break
      }
      if (at + 2 + type.size > frame.length) {
        faults.push(unreadable(`@${at}`, `${type.name} ends too early`))
        break
      }
      const raw = type.read(frame, at + 2)
      const target = this.targetOf(number, type)
      const value = target && typeof raw === 'number' ? target.linear.toValue(raw) : raw
      if (target)
        values[target.identifier] = target.coerce(
          type.name === 'time' && !this.isNumber(target) ? Number(raw) * 1_000 : value,
        )
      else if (type.name === 'time') ts = Number(raw) * 1_000
      parts?.push({
        identifier: target?.identifier ?? null,
        role: target ? 'value' : type.name === 'time' ? 'time' : 'ignore',
        type: type.name,
        at,
        length: 2 + type.size,
        value: target ? values[target.identifier] : raw,
      })
      at += 2 + type.size
    }
    const readings = Object.keys(values).length === 0 ? [] : [{ values, ...(ts === undefined ? {} : { ts }) }]
    return readBeside(readings, faults)
  }

  /** A date property takes the time as milliseconds, a number the seconds of the wire. */
  private isNumber(target: Channel): boolean {
    return this.model.properties.get(target.identifier)?.dataType.type !== 'date'
  }

  private targetOf(number: number, type: CayenneType): Channel | undefined {
    const known = this.byNumber.get(number)?.find(line => line.type === null || line.type === type.name)
    if (known) return known
    const identifier = `${type.name}_${number}`
    if (!this.model.properties.has(identifier)) return undefined
    return {
      channel: number,
      type: type.name,
      identifier,
      linear: linear(),
      coerce: coercionOf(this.model, identifier),
    }
  }

  encode(command: CommandToEncode): EncodeResult {
    if (command.kind === 'service') return notEncodable('Cayenne LPP has no services')
    const parts: Buffer[] = []
    for (const [identifier, value] of Object.entries(command.params)) {
      const line = this.channels.find(candidate => candidate.identifier === identifier) ?? named(identifier)
      if (!line) return notEncodable(`no channel for ${identifier}`)
      const type = BY_NAME.get(line.type ?? 'analog_output')
      const number = numberToWrite(value)
      if (!type?.write || number === undefined) return notEncodable(`${identifier} cannot be written`)
      const part = Buffer.alloc(2 + type.size)
      part[0] = line.channel
      part[1] = type.code
      try {
        type.write(line.linear.toRaw(number), part.subarray(2))
      } catch {
        return notEncodable(`${identifier}: ${number} does not fit ${type.name}`)
      }
      parts.push(part)
    }
    return { ok: true, frames: [Buffer.concat(parts)] }
  }
}

/** `digital_output_3` → channel 3 of that type. */
function named(identifier: string): Pick<Channel, 'channel' | 'type' | 'linear'> | null {
  const match = /^(.+)_(\d{1,3})$/.exec(identifier)
  const channel = Number(match?.[2])
  return match && channel <= 255 && BY_NAME.has(match[1]!) ? { channel, type: match[1]!, linear: linear() } : null
}
