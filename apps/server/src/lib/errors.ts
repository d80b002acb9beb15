import type { ErrorCode } from '@thingwright/contracts/errors'

export interface AppErrorOptions {
  /** HTTP status; when absent the status registered for the code is used. */
  status?: number
  /** Values for the placeholders of the message and for programs. */
  params?: Record<string, unknown>
  /** Per-field problems of a 422: field path to error code. */
  fields?: Record<string, { code: string; params?: Record<string, unknown> }>
  cause?: unknown
  /** Seconds, sent as Retry-After. */
  retryAfterSeconds?: number
}

/** The one error that may leave a service: a stable code; its text is looked up in the caller's language at the edge. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number | undefined
  readonly params: Record<string, unknown>
  readonly fields: AppErrorOptions['fields']
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = options.status
    this.params = options.params ?? {}
    this.fields = options.fields
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError
}
