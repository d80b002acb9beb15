import { refreshToken } from '../../../lib/api/token-refresh.ts'
import { locale } from '../../../lib/i18n.ts'
import { randomId } from '../../../lib/ids.ts'
import { useSession } from '../../../lib/session.ts'
import type { ApiRequest } from '../../../ui/api-docs/request.ts'

/** The credential of the request: the user's own session, or a key that he pasted. */
export type Sender = { kind: 'session' } | { kind: 'key'; key: string }

export interface TriedReply {
  status: number
  statusText: string
  headers: [string, string][]
  durationMs: number
  /** Bytes of the body. */
  size: number
  /** The beginning of a body that is text, JSON made readable; null: bytes. */
  text: string | null
  /** More came than `text` shows. */
  cut: boolean
  blob: Blob
}

/** More than this is not drawn: an editor full of text would stand still. */
const SHOWN_CHARACTERS = 200_000

/** Sends a request as a program would, and tells what came back. Throws when nothing did. */
export async function sendRequest(
  request: ApiRequest,
  sender: Sender,
  files: ReadonlyMap<string, File>,
  signal: AbortSignal,
): Promise<TriedReply> {
  const key = randomId()
  const started = performance.now()
  let response = await once(request, sender, files, key, signal)
  if (response.status === 401 && sender.kind === 'session') {
    // The person's token lives for minutes; a program would renew its own in the same way.
    const refused = useSession.getState().token?.access_token
    if (refused !== undefined && (await refreshToken(refused, locale())))
      response = await once(request, sender, files, key, signal)
  }
  const blob = await response.blob()
  const readable = /json|^text\/|xml|javascript|x-pem/.test(response.headers.get('content-type') ?? '')
  const whole = readable ? await blob.text() : null
  const text = whole === null ? null : whole.length > SHOWN_CHARACTERS ? whole : pretty(whole)
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    durationMs: performance.now() - started,
    size: blob.size,
    text: text?.slice(0, SHOWN_CHARACTERS) ?? null,
    cut: (text?.length ?? 0) > SHOWN_CHARACTERS,
    blob,
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function once(
  request: ApiRequest,
  sender: Sender,
  files: ReadonlyMap<string, File>,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers({ 'Accept-Language': locale() })
  if (request.authorization === 'bearer') {
    const token = sender.kind === 'key' ? sender.key.trim() : (useSession.getState().token?.access_token ?? '')
    headers.set('Authorization', `Bearer ${token}`)
  }
  if (request.authorization === 'client') headers.set('Authorization', `Basic ${btoa('cli:cli')}`)
  if (request.idempotent) headers.set('Idempotency-Key', idempotencyKey)
  const init: RequestInit = { method: request.method, headers, credentials: 'omit', cache: 'no-store', signal }
  const { body } = request
  if (body?.kind === 'json') {
    headers.set('Content-Type', 'application/json')
    init.body = JSON.stringify(body.value)
  } else if (body?.kind === 'form') init.body = new URLSearchParams(body.fields)
  else if (body?.kind === 'multipart') {
    const form = new FormData()
    for (const [name, value] of body.fields) form.set(name, value)
    for (const [name] of body.files) {
      const file = files.get(name)
      if (file) form.set(name, file)
    }
    init.body = form
  }
  return fetch(request.url, init)
}
