import type { UplinkChannel } from '../../uplink.ts'

/** What a device's request wants, read from its method and path (interfaces.md §4). */
export type DeviceRequest = { productKey: string; deviceNo: string } & (
  | { kind: 'uplink'; channel: UplinkChannel }
  /** Long poll; `waitMs` 0: what is there now. */
  | { kind: 'commands'; waitMs: number }
  | { kind: 'reply'; commandId: string }
)

const PREFIX = '/device/v1/'
const MAX_PATH = 1_024
/** Longest a poll is held, seconds: below the time-outs of usual proxies. */
export const MAX_WAIT_SECONDS = 55

/**
 * POST /device/v1/{productKey}/{deviceNo}/property · …/event/{identifier} · …/commands/{id}/reply,
 * GET …/commands?wait={seconds}. Null: no such address.
 */
export function readDevicePath(method: string | undefined, url: string | undefined): DeviceRequest | null {
  if (!url || url.length > MAX_PATH || !url.startsWith(PREFIX)) return null
  const question = url.indexOf('?')
  const parts = split(question < 0 ? url.slice(PREFIX.length) : url.slice(PREFIX.length, question))
  if (!parts) return null
  const [productKey, deviceNo, what, name, last] = parts
  if (!productKey || !deviceNo) return null
  const device = { productKey, deviceNo }
  if (method === 'POST') {
    if (what === 'property' && parts.length === 3) return { ...device, kind: 'uplink', channel: { kind: 'property' } }
    if (what === 'event' && name && parts.length === 4)
      return { ...device, kind: 'uplink', channel: { kind: 'event', identifier: name } }
    if (what === 'commands' && name && last === 'reply' && parts.length === 5)
      return { ...device, kind: 'reply', commandId: name }
  }
  if (method === 'GET' && what === 'commands' && parts.length === 3) {
    const wait = Number(new URLSearchParams(question < 0 ? '' : url.slice(question + 1)).get('wait') ?? 0)
    if (!(wait >= 0)) return null
    return { ...device, kind: 'commands', waitMs: Math.min(wait, MAX_WAIT_SECONDS) * 1_000 }
  }
  return null
}

function split(path: string): string[] | null {
  const parts = path.split('/')
  if (!path.includes('%')) return parts
  try {
    return parts.map(decodeURIComponent)
  } catch {
    return null
  }
}
