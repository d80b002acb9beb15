import type { Dialect } from '../../dialects/dialect.ts'
import { numberOf } from '../../dialects/dialect.ts'
import type { DownlinkMessage } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { nameBelow } from '../../uplink.ts'

/** One way to bring a command to a client: all its messages, in order, on one topic. */
export interface Way {
  topic: string
  payloads: readonly Buffer[]
  /** No answer will come: having arrived is all. */
  settles: boolean
}

/**
 * The ways to say a command in a device's session, the best first: bytes of the product's format, our own topics, then
 * the dialects. Which of them the client has subscribed to decides.
 */
export function waysOf(
  device: DeviceRecord,
  prefix: string,
  message: DownlinkMessage,
  dialects: readonly Dialect[],
): Way[] {
  const { sub, frames = [], command } = message
  const base = sub ? `${prefix}sub/${nameBelow(sub)}/` : prefix
  const ways: Way[] = []
  if (frames.length > 0) ways.push({ topic: `${base}raw/down`, payloads: frames, settles: false })
  if (command.kind !== 'raw') ways.push({ topic: base + message.suffix, payloads: [message.payload], settles: false })
  if (dialects.length === 0) return ways
  const below = sub ? { productKey: sub.productKey, deviceNo: sub.deviceNo, name: nameBelow(sub) } : null
  const asked = { ...command, number: numberOf(message.commandId), frames, below }
  for (const dialect of dialects) {
    const said = dialect.say(device, asked)
    for (const { topic, payload, settles } of said) {
      const same = ways.find(way => way.topic === topic)
      if (same) same.payloads = [...same.payloads, payload]
      else ways.push({ topic, payloads: [payload], settles })
    }
  }
  return ways
}
