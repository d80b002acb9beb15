import type { FrameView } from '@thingwright/contracts/diagnosis.contract'
import type { RawFrame } from './diagnosis.port.ts'

/** A raw frame as the console gets it, over HTTP and live. */
export function frameView({ id, at, direction, bytes, size, channel, note }: RawFrame): FrameView {
  return {
    id: String(id),
    at: new Date(at).toISOString(),
    direction,
    hex: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex'),
    size,
    channel,
    note,
  }
}
