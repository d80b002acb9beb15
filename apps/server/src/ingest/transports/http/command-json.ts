import { decodeDeviceJson } from '../../codecs/json/json.codec.ts'
import { bytesOf } from '../../codecs/json/json-bytes.ts'
import type { DownlinkMessage } from '../../transport.port.ts'
import { nameBelow } from '../../uplink.ts'

/**
 * A command as devices see it that fetch theirs (HTTP, CoAP): its kind and identifier, the device below that is meant, id
 * and params; with the bytes of the product's own format as hex, where it has one.
 */
export function describeCommand({ commandId, command, sub, frames }: DownlinkMessage): string {
  const { kind, identifier, params } = command
  return JSON.stringify({
    kind,
    ...(kind === 'service' ? { identifier } : {}),
    ...(sub ? { sub: nameBelow(sub) } : {}),
    id: commandId,
    ...(kind === 'raw' ? {} : { params }),
    ...(frames && frames.length > 0 ? { hex: frames.map(frame => frame.toString('hex')) } : {}),
  })
}

/** The reply as MQTT devices send it: the id stands in the path here. What is no JSON object goes on as it is, to be refused. */
export function withId(bytes: Buffer, id: string): Buffer {
  const decoded = decodeDeviceJson(bytes)
  if (!decoded.ok || typeof decoded.value !== 'object' || decoded.value === null || Array.isArray(decoded.value))
    return bytes
  return bytesOf({ ...decoded.value, id })
}
