import { locale, text } from '../i18n.ts'
import { PREVIEW_HEADER, previewHeader } from '../preview-state.ts'
import { askProof } from '../proof.ts'
import { learnServerTime } from '../server-clock.ts'
import { useSession } from '../session.ts'
import { ApiError, ProofDeclinedError, readError, SessionExpiredError } from './api-error.ts'
import { bodyToSend, carriesBearer, headersToSend, isSignIn, kindOf } from './header-kinds.ts'
import { expireSession } from './session-expiry.ts'
import { refreshSettled, refreshToken } from './token-refresh.ts'

/** These are tried once more; 422 and the rest are final. */
const REPEATED = new Set([400, 404, 500])

/** What is not there when it is looked at is not there five seconds later either. */
function isRepeated(method: string, status: number): boolean {
  return REPEATED.has(status) && !(status === 404 && method.toUpperCase() === 'GET')
}

export const RETRY_DELAY_MS = 5000
/** So long a request that got no answer is kept from its caller. */
const LEAVING_MS = 100
const ATTEMPTS = 2

export interface SendRequest {
  method: string
  url: string
  /** May carry the Interface-Type marker, which chooses the header set and is taken out. */
  headers: Headers
  body?: unknown
  signal?: AbortSignal | undefined
  /** Not sent a second time after 400, 404 and 500 (a question to the assistant: it would be asked twice). */
  once?: boolean
  /** Not cut off when the page is left. */
  keepalive?: boolean | undefined
}

/**
 * Sends a request with the headers of its kind. A bearer that is refused is refreshed once for all waiting requests
 * and the request repeated; 400, 404 and 500 are repeated once after 5 s with the same headers (and so the same
 * Idempotency-Key), except for sign-ins and for a GET's 404, which is final. Where the server wants to know that it is still the same person, he is asked and
 * the request repeated. Throws ApiError, or SessionExpiredError after the person was signed out.
 */
export async function send(request: SendRequest): Promise<Response> {
  let asked = false
  for (let attempt = 1; ; attempt++) {
    const response = await sendAuthorised(request)
    if (response.ok) return response
    const error = await readError(response, status => text('common:error.status', { status }))
    if (error.code === 'auth.proof_required' && !asked) {
      asked = true
      const methods = Array.isArray(error.params.methods) ? (error.params.methods as string[]) : []
      if (!(await askProof(methods))) throw new ProofDeclinedError(error)
      attempt -= 1
      continue
    }
    const final = request.once || isSignIn(kindOf(request.headers))
    if (attempt >= ATTEMPTS || final || !isRepeated(request.method, response.status)) throw error
    await pause(RETRY_DELAY_MS, request.signal)
  }
}

async function sendAuthorised(request: SendRequest): Promise<Response> {
  if (!carriesBearer(kindOf(request.headers))) return sendOnce(request)
  await refreshSettled()
  const refused = useSession.getState().token?.access_token
  const response = await sendOnce(request)
  if (response.status !== 401 || refused === undefined) return response
  let renewed: boolean
  try {
    renewed = await refreshToken(refused, locale())
  } catch {
    throw unreachable()
  }
  if (renewed) {
    const again = await sendOnce(request)
    if (again.status !== 401) return again
  }
  await expireSession()
  throw new SessionExpiredError()
}

async function sendOnce(request: SendRequest): Promise<Response> {
  const kind = kindOf(request.headers)
  const init: RequestInit = {
    method: request.method,
    credentials: 'same-origin',
    headers: headersToSend(request.headers, { token: useSession.getState().token, locale: locale() }),
  }
  const previewedRole = carriesBearer(kind) ? previewHeader(request.url) : null
  if (previewedRole !== null) (init.headers as Headers).set(PREVIEW_HEADER, previewedRole)
  const body = bodyToSend(kind, request.body)
  if (body !== undefined) init.body = body
  if (request.signal) init.signal = request.signal
  if (request.keepalive) init.keepalive = true
  const sentAt = Date.now()
  try {
    const response = await fetch(request.url, init)
    learnServerTime(response.headers.get('date'), sentAt)
    return response
  } catch (error) {
    if (request.signal?.aborted) throw error
    // The requests of a page that is being left fail as well. Nothing may come of that (a sign-out, a preview that
    // ends): by the end of this pause such a page is gone.
    await pause(LEAVING_MS, request.signal)
    throw unreachable()
  }
}

function unreachable(): ApiError {
  return new ApiError({ status: 0, code: 'network.unreachable', message: text('common:error.unreachable') })
}

/** Waits, or throws the reason as soon as the signal is aborted. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
