import { createEzviz } from '../adapters/video/ezviz.ts'
import { createOutbound } from '../lib/outbound/outbound.ts'
import type { MediaFetch, VideoFactory } from '../modules/video/video.port.ts'

const TIMEOUT_MS = 15_000
/** Pictures of cameras are larger than most answers. */
const MOST_BYTES = 12 * 1_048_576
/** Where the simulated vendor of the demo company listens; nobody but the demo makes an account of that kind. */
const SIMULATED = ['127.0.0.1/32']

/** The vendors of cameras that there are adapters for. */
export function createVideo(options: { outboundAllow: readonly string[]; now(): number }): VideoFactory {
  const common = { timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, keepAlive: true }
  const outbound = createOutbound({ ...common, allow: options.outboundAllow })
  const near = createOutbound({ ...common, allow: SIMULATED })
  return (access, simulated) => createEzviz(access, { outbound: simulated ? near : outbound, now: options.now })
}

/** A stream may be read for hours: bytes are counted per stream, time only until its headers are there. */
const STREAM_BYTES = 16 * 1_073_741_824

/** Fetches playlists and streams for the relay. */
export function createVideoMedia(options: { outboundAllow: readonly string[] }): MediaFetch {
  const common = { timeoutMs: TIMEOUT_MS, maxBytes: STREAM_BYTES }
  const outbound = createOutbound({ ...common, allow: options.outboundAllow })
  const near = createOutbound({ ...common, allow: SIMULATED })
  return (url, simulated) => (simulated ? near : outbound).fetch(url, { stream: true })
}
