import type { LabelFormat } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import { DEFAULT_ZONE, zoneMinutes } from '../../../lib/written-time.ts'
import {
  type Codec,
  type CodecContext,
  type CommandToEncode,
  type DecodeFault,
  type DecodeResult,
  type EncodeResult,
  type FramePart,
  mismatch,
  notEncodable,
  readBeside,
} from '../codec.ts'
import { coercionOf } from '../shared/property-value.ts'
import { Frame } from './label-frame.ts'
import { parseLabel } from './label-grammar.ts'
import { LabelSequence } from './label-sequence.ts'

/**
 * The protocol label: a label of the TLINK family, marked frames, or both. Frames are tried in their order, the label
 * after them.
 */
export class LabelCodec implements Codec {
  readonly kind = 'label'
  private readonly sequence: LabelSequence | null
  private readonly up: readonly Frame[]
  private readonly down: readonly Frame[]

  constructor(format: LabelFormat, model: CompiledModel) {
    this.sequence = sequenceOf(format, model)
    const zone = zoneMinutes(format.timeZone ?? DEFAULT_ZONE)
    const frames = (format.frames ?? []).map((frame, i) => new Frame(frame, model, zone, i))
    this.up = frames.filter(frame => !frame.spec.command)
    this.down = frames.filter(frame => frame.spec.command)
  }

  decode(frame: Buffer): DecodeResult {
    const kind = this.up.find(candidate => candidate.mismatch(frame) === null)
    if (kind) {
      const faults: DecodeFault[] = []
      const reading = kind.read(frame, faults)
      if ('ok' in reading) return reading
      return readBeside(Object.keys(reading.values).length > 0 || reading.event ? [reading] : [], faults)
    }
    if (this.sequence) return this.sequence.decode(frame)
    const [only] = this.up
    if (this.up.length === 1 && only) return mismatch(only.name, only.mismatch(frame) ?? '')
    return mismatch('', this.up.length === 0 ? 'the format has no frames' : 'no kind of frame fits')
  }

  explain(frame: Buffer): FramePart[] {
    const parts: FramePart[] = []
    const kind = this.up.find(candidate => candidate.mismatch(frame) === null)
    if (kind) kind.read(frame, [], parts)
    else if (this.sequence) return this.sequence.explain(frame)
    return parts.sort((a, b) => a.at - b.at)
  }

  encode(command: CommandToEncode, context: CodecContext): EncodeResult {
    const fitting = this.down.filter(
      ({ spec }) =>
        spec.command!.kind === command.kind &&
        (command.kind === 'property_set' || spec.command!.identifier === command.identifier),
    )
    if (fitting.length > 0) return this.fill(fitting, command, context)
    if (command.kind === 'service') return notEncodable(`no frame for the service ${command.identifier}`)
    if (this.sequence) return this.sequence.encode(command.params, context)
    // Without frames of their own, settings go out as the frames that report them.
    return this.fill(
      this.up.filter(({ spec }) => !spec.event),
      command,
      context,
    )
  }

  /** As many frames as it takes to carry all parameters. */
  private fill(frames: readonly Frame[], command: CommandToEncode, context: CodecContext): EncodeResult {
    const left = new Set(Object.keys(command.params))
    const built: Buffer[] = []
    let why = ''
    for (const frame of frames) {
      const { identifiers } = frame
      const missing = identifiers.find(identifier => !Object.hasOwn(command.params, identifier))
      if (missing !== undefined) {
        why ||= `${frame.name} needs ${missing} as well`
        continue
      }
      if (built.length > 0 && !identifiers.some(identifier => left.has(identifier))) continue
      const bytes = frame.build(command.params, context)
      if (typeof bytes === 'string') return notEncodable(bytes)
      for (const identifier of identifiers) left.delete(identifier)
      built.push(bytes)
    }
    const [first] = left
    if (built.length === 0 || (first !== undefined && command.kind === 'property_set'))
      return notEncodable(why || (first === undefined ? 'no frame to send' : `no frame carries ${first}`))
    return { ok: true, frames: built }
  }
}

function sequenceOf(format: LabelFormat, model: CompiledModel): LabelSequence | null {
  if (!format.label) return null
  const parsed = parseLabel(format.label)
  if (!parsed.ok) return null
  // Without names the fields are the properties in their order, as that family counts its sensors.
  const names =
    format.fields ??
    model.model.properties.filter(property => property.access !== 'w').map(property => property.identifier)
  const fields = parsed.tokens
    .filter(token => token.kind === 'data')
    .map((_, i) => {
      const identifier = names[i]
      return identifier ? { identifier, coerce: coercionOf(model, identifier) } : null
    })
  return new LabelSequence(parsed.tokens, fields)
}
