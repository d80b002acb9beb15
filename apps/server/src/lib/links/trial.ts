import type { LinkSettings, LinkTrial } from '@thingwright/contracts/links.contract'
import { type CutKind, createFramer } from './framer.ts'
import { readRegistration } from './register-packet.ts'

const MOST_FRAMES = 200

/** What the device path would make of these bytes: who registers, and which frames the stream falls into. */
export function tryLink(
  settings: LinkSettings,
  register: Buffer | null,
  stream: Buffer,
  asText: (bytes: Buffer) => string | null,
  /** What a framing script made of the stream; absent: the framing is none. */
  scripted?: readonly { kind: CutKind; bytes: Buffer }[],
): LinkTrial {
  const frames: LinkTrial['frames'] = []
  const add = (kind: LinkTrial['frames'][number]['kind'], bytes: Buffer) => {
    if (frames.length < MOST_FRAMES) frames.push({ kind, hex: bytes.toString('hex'), text: asText(bytes) })
  }
  const rest: Buffer[] = []
  if (scripted) {
    for (const { kind, bytes } of scripted) {
      if (kind === 'incomplete') rest.push(bytes)
      else add(kind === 'broken' ? 'too_long' : kind, bytes)
    }
    return { register: register && whoRegisters(settings, register), frames, rest: Buffer.concat(rest).toString('hex') }
  }
  const framer = createFramer(settings, register ?? undefined)
  framer.push(stream, (kind, bytes) => add(kind === 'broken' || kind === 'incomplete' ? 'too_long' : kind, bytes))
  // Silence follows the pasted bytes when the product has an idle gap.
  framer.flush((kind, bytes) => {
    if (settings.idleGapMs !== null && kind === 'frame') add('frame', bytes)
    else rest.push(bytes)
  })
  return { register: register && whoRegisters(settings, register), frames, rest: Buffer.concat(rest).toString('hex') }
}

function whoRegisters(settings: LinkSettings, packet: Buffer): LinkTrial['register'] {
  const found = readRegistration(settings.register, packet)
  if (typeof found === 'string') return { productKey: null, deviceNo: null, problem: found }
  return found.kind === 'line'
    ? { productKey: found.productKey, deviceNo: found.deviceNo, problem: null }
    : { productKey: null, deviceNo: found.deviceNos[0] ?? null, problem: null }
}
