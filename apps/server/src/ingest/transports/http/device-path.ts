import type { UplinkChannel } from '../../uplink.ts'

/** What a device's request wants, read from its method and path (interfaces.md §4). */
export type DeviceRequest = { productKey: string; deviceNo: string } /** `sub`: of a device below this gateway. */ & (
  | { kind: 'uplink'; channel: UplinkChannel; sub?: string }
  /** Long poll; `waitMs` 0: what is there now. */
  | { kind: 'commands'; waitMs: number }
  | { kind: 'reply'; commandId: string; sub?: string }
  /** What is to be installed, of devices that ask by themselves; `module` as written. */
  | { kind: 'firmware'; module: string; sub?: string }
  /** A device without a secret of its own; its number stands in the body. */
  | { kind: 'register' }
)

const PREFIX = '/device/v1/'
const MAX_PATH = 1_024
/** Longest a poll is held, seconds: below the time-outs of usual proxies. */
export const MAX_WAIT_SECONDS = 55

/**
 * POST /device/v1/{productKey}/{deviceNo}/property · …/event/{identifier} · …/raw · …/commands/{id}/reply, each also
 * as …/sub/{device}/… for a device below a gateway · …/ota/inform · …/ota/progress,
 * GET …/commands?wait={seconds} · GET …/ota/pull?module=. The bare address takes property posts and gives the commands
 * that wait. Null: no such address.
 */
export function readDevicePath(method: string | undefined, url: string | undefined): DeviceRequest | null {
  if (!url || url.length > MAX_PATH || !url.startsWith(PREFIX)) return null
  const question = url.indexOf('?')
  const parts = split(question < 0 ? url.slice(PREFIX.length) : url.slice(PREFIX.length, question))
  if (!parts) return null
  const sub = parts[2] === 'sub' ? parts[3] : undefined
  if (sub !== undefined) parts.splice(2, 2)
  const [productKey, deviceNo, what, name, last] = parts
  if (!productKey || !deviceNo) return null
  // No device's path: those have a third part.
  if (method === 'POST' && deviceNo === 'register' && parts.length === 2)
    return { productKey, deviceNo: '', kind: 'register' }
  const device = { productKey, deviceNo, ...(sub ? { sub } : {}) }
  // The address as the console shows it, without anything behind it: what devices mostly do with one.
  const bare = sub === undefined && (parts.length === 2 || (parts.length === 3 && what === ''))
  if (bare && method === 'POST') return { ...device, kind: 'uplink', channel: { kind: 'property' } }
  if (bare && method === 'GET') return { ...device, kind: 'commands', waitMs: 0 }
  if (method === 'POST') {
    if (what === 'property' && parts.length === 3) return { ...device, kind: 'uplink', channel: { kind: 'property' } }
    if (what === 'raw' && parts.length === 3) return { ...device, kind: 'uplink', channel: { kind: 'raw' } }
    if (what === 'ota' && (name === 'inform' || name === 'progress') && parts.length === 4)
      return { ...device, kind: 'uplink', channel: { kind: 'firmware', message: name } }
    if (what === 'event' && name && parts.length === 4)
      return { ...device, kind: 'uplink', channel: { kind: 'event', identifier: name } }
    if (what === 'commands' && name && last === 'reply' && parts.length === 5)
      return { ...device, kind: 'reply', commandId: name }
  }
  if (method === 'GET' && what === 'ota' && name === 'pull' && parts.length === 4) {
    const query = new URLSearchParams(question < 0 ? '' : url.slice(question + 1))
    return { ...device, kind: 'firmware', module: query.get('module') ?? '' }
  }
  if (method === 'GET' && what === 'commands' && parts.length === 3 && !sub) {
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
