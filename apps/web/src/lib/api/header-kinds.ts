import { idleSeconds } from '../idle.ts'
import type { Locale, StoredToken } from '../storage.ts'

/** The marker that chooses a request's header set; it never leaves the browser. */
export type InterfaceType =
  | 'accountSign'
  | 'phoneSign'
  | 'register'
  | 'Refresh-token'
  | 'form'
  | 'formNoToken'
  | 'form-data'
  | 'originalUpload'
  | 'postNoToken'
  | 'default'

/** Name of the marker among the headers a caller passes. */
export const INTERFACE_TYPE = 'Interface-Type'

/** Client authentication of the console's public client `web:web`. */
const BASIC = `Basic ${btoa('web:web')}`
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

interface HeaderSet {
  /** Absent: the browser names the type (multipart boundary, type of the file). */
  contentType?: string
  authorization: 'bearer' | 'basic' | 'none'
}

const SETS: Record<InterfaceType, HeaderSet> = {
  accountSign: { contentType: FORM_TYPE, authorization: 'basic' },
  phoneSign: { contentType: FORM_TYPE, authorization: 'basic' },
  register: { contentType: JSON_TYPE, authorization: 'basic' },
  'Refresh-token': { contentType: FORM_TYPE, authorization: 'basic' },
  form: { contentType: FORM_TYPE, authorization: 'bearer' },
  formNoToken: { contentType: FORM_TYPE, authorization: 'none' },
  'form-data': { authorization: 'bearer' },
  originalUpload: { authorization: 'bearer' },
  postNoToken: { contentType: JSON_TYPE, authorization: 'none' },
  default: { contentType: JSON_TYPE, authorization: 'bearer' },
}

/** Whether a request of this kind speaks for the signed-in person. */
export function carriesBearer(kind: InterfaceType): boolean {
  return SETS[kind].authorization === 'bearer'
}

/** Sign-in, registration and refresh: never repeated by themselves. */
export function isSignIn(kind: InterfaceType): boolean {
  return SETS[kind].authorization === 'basic'
}

/** The kind that the marker among the headers asks for; `default` without one. */
export function kindOf(headers: Headers): InterfaceType {
  const marker = headers.get(INTERFACE_TYPE)
  return marker !== null && marker in SETS ? (marker as InterfaceType) : 'default'
}

/**
 * Turns a caller's headers into those that are sent: the marker is taken out and its header set put in, with the
 * language always and the person where known.
 */
export function headersToSend(given: Headers, who: { token: StoredToken | null; locale: Locale }): Headers {
  const set = SETS[kindOf(given)]
  const headers = new Headers(given)
  headers.delete(INTERFACE_TYPE)
  if (set.contentType && !headers.has('Content-Type')) headers.set('Content-Type', set.contentType)
  headers.set('Accept-Language', who.locale)
  if (set.authorization === 'basic') headers.set('Authorization', BASIC)
  if (who.token) {
    headers.set('X-User-Id', who.token.id)
    headers.set('X-Username', encodeURIComponent(who.token.username))
    if (set.authorization === 'bearer') {
      const idle = idleSeconds()
      if (idle > 0) headers.set('X-Idle-Seconds', String(idle))
      headers.set('Authorization', `Bearer ${who.token.access_token}`)
      headers.set('thingwrightAppId', who.token.thingwrightAppId)
    }
  }
  return headers
}

/** Encodes a body as the header set says; files and form data pass unchanged. */
export function bodyToSend(kind: InterfaceType, body: unknown): BodyInit | undefined {
  if (body === undefined || body === null) return undefined
  if (body instanceof FormData || body instanceof Blob || body instanceof URLSearchParams || typeof body === 'string')
    return body
  if (SETS[kind].contentType === FORM_TYPE) {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(body)) if (value !== undefined) form.set(name, String(value))
    return form
  }
  return JSON.stringify(body)
}
