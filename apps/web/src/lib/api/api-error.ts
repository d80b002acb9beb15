/** A refusal by the server, or `network.unreachable` (status 0) when no answer came. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly requestId: string
  readonly params: Record<string, unknown>
  /** Per-field refusals of a 422, keyed by path. */
  readonly fields: Record<string, { code: string; message: string }>
  readonly retryAfterSeconds: number | null

  constructor(given: {
    status: number
    code: string
    message: string
    requestId?: string
    params?: Record<string, unknown>
    fields?: Record<string, { code: string; message: string }>
    retryAfterSeconds?: number | null
  }) {
    super(given.message)
    this.status = given.status
    this.code = given.code
    this.requestId = given.requestId ?? ''
    this.params = given.params ?? {}
    this.fields = given.fields ?? {}
    this.retryAfterSeconds = given.retryAfterSeconds ?? null
  }
}

/** The session is over and the person is already on the way to the sign-in: nothing more is to be shown. */
export class SessionExpiredError extends ApiError {
  override name = 'SessionExpiredError'
  constructor() {
    super({ status: 401, code: 'auth.expired', message: '' })
  }
}

/** The person did not want to confirm that it is he: nothing happened, and nothing more is to be shown. */
export class ProofDeclinedError extends ApiError {
  override name = 'ProofDeclinedError'
}

/** Reads the error of an answer: our form `{code, message, requestId}` or OAuth's `{error, error_description}`. */
export async function readError(response: Response, fallback: (status: number) => string): Promise<ApiError> {
  let body: Record<string, unknown> = {}
  try {
    const parsed: unknown = await response.json()
    if (typeof parsed === 'object' && parsed !== null) body = parsed as Record<string, unknown>
  } catch {
    // A proxy's page or nothing at all: the status has to do.
  }
  const word = (...names: string[]) => {
    for (const name of names) if (typeof body[name] === 'string' && body[name] !== '') return body[name] as string
    return null
  }
  const object = (name: string) =>
    typeof body[name] === 'object' && body[name] !== null ? (body[name] as Record<string, never>) : {}
  const wait = Number(response.headers.get('retry-after'))
  return new ApiError({
    status: response.status,
    code: word('code', 'error') ?? `http.${response.status}`,
    message: word('message', 'error_description') ?? fallback(response.status),
    requestId: word('requestId') ?? response.headers.get('x-request-id') ?? '',
    params: object('params'),
    fields: object('fields'),
    retryAfterSeconds: response.headers.has('retry-after') && Number.isFinite(wait) ? wait : null,
  })
}
