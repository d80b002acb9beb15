import { ACCESS_TOKEN_PREFIX } from '../../sign-in-request.ts'

/** What a ThingsBoard client's request wants. */
export type ThingsboardRequest = {
  token: string
} /** Means the same as a publish to this topic of the MQTT API; the answer, if any, is the body of the response. */ & (
  | { kind: 'message'; topic: string; payload: Buffer | null }
  /** Long poll for commands of one kind; without one in time the answer is 408. */
  | { kind: 'poll'; of: 'rpc' | 'attributes'; waitMs: number }
)

const PREFIX = '/api/v1/'
/** Where a device asks for its credentials. */
export const PROVISION_PATH = '/api/v1/provision'
const MAX_PATH = 4_096
const MAX_WAIT_MS = 55_000

/** What stands behind the token; no path of our own has it behind one part. */
const OPERATION = /^\/api\/v1\/[^/?]{1,128}\/(?:telemetry|attributes(?:\/updates)?|claim|rpc(?:\/\d{1,10})?)(?:\?|$)/

/** Whether the path is one of a ThingsBoard client, whatever it takes for its token. */
export function isThingsboardPath(url: string | undefined): boolean {
  return (
    url !== undefined && (url === PROVISION_PATH || url.startsWith(PREFIX + ACCESS_TOKEN_PREFIX) || OPERATION.test(url))
  )
}

/**
 * The HTTP device API of ThingsBoard (https://thingsboard.io/docs/reference/http-api): POST telemetry, attributes, claim,
 * rpc, rpc/{id}; GET attributes, attributes/updates, rpc. Null: no such address.
 */
export function readThingsboardPath(method: string, url: string): ThingsboardRequest | null {
  if (url.length > MAX_PATH || !isThingsboardPath(url)) return null
  const question = url.indexOf('?')
  const parts = url.slice(PREFIX.length, question < 0 ? undefined : question).split('/')
  const query = new URLSearchParams(question < 0 ? '' : url.slice(question + 1))
  const token = parts[0] as string
  const what = parts.slice(1).join('/')
  const message = (topic: string, payload: Buffer | null = null) =>
    ({ token, kind: 'message', topic: `v1/devices/me/${topic}`, payload }) as const
  const poll = (of: 'rpc' | 'attributes') => {
    const wait = Number(query.get('timeout') ?? 20_000)
    return wait >= 0 ? ({ token, kind: 'poll', of, waitMs: Math.min(wait, MAX_WAIT_MS) } as const) : null
  }
  if (method === 'POST') {
    if (what === 'telemetry' || what === 'attributes' || what === 'claim') return message(what)
    if (what === 'rpc') return message('rpc/request/0')
    const answered = /^rpc\/(\d{1,10})$/.exec(what)
    return answered ? message(`rpc/response/${answered[1]}`) : null
  }
  if (method !== 'GET') return null
  if (what === 'rpc') return poll('rpc')
  if (what === 'attributes/updates') return poll('attributes')
  if (what !== 'attributes') return null
  const asked = { clientKeys: query.get('clientKeys') ?? undefined, sharedKeys: query.get('sharedKeys') ?? undefined }
  return message('attributes/request/0', Buffer.from(JSON.stringify(asked)))
}
