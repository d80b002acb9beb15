import { ERROR_STATUS, type ErrorCode } from '@thingwright/contracts/errors'
import type { Locale } from '../lib/context.ts'
import { isConnectionLost } from '../lib/database/database-errors.ts'
import { AppError, isAppError } from '../lib/errors.ts'
import { errorText } from '../lib/i18n.ts'
import type { Logger } from '../lib/log.ts'
import { fieldsOf, ValidationError } from './http-validation.ts'

/** An error in the form of interfaces.md §3. */
export interface ErrorAnswer {
  status: number
  body: {
    code: ErrorCode
    message: string
    requestId: string
    params?: Record<string, unknown>
    fields?: Record<string, { code: string; message: string }>
  }
  retryAfterSeconds?: number
}

/** Turns an error into the response in the caller's language; internal details go to the log only. */
export function errorAnswer(
  error: unknown,
  about: { locale: Locale; requestId: string; route: string | undefined; logger: Logger },
): ErrorAnswer {
  const { locale, requestId, route, logger } = about
  const known = asAppError(error)
  if (!known) logger.error({ err: error, requestId, route }, 'request failed')
  const appError = known ?? new AppError('server.error')
  const fields =
    appError.fields &&
    Object.fromEntries(
      Object.entries(appError.fields).map(([path, f]) => [
        path,
        { code: f.code, message: errorText(locale, f.code, f.params) },
      ]),
    )
  return {
    status: appError.status ?? ERROR_STATUS[appError.code],
    body: {
      code: appError.code,
      message: errorText(locale, appError.code, appError.params),
      requestId,
      ...(Object.keys(appError.params).length ? { params: appError.params } : {}),
      ...(fields ? { fields } : {}),
    },
    ...(appError.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: appError.retryAfterSeconds }),
  }
}

/** The `error` of RFC 6749 §5.2 for our own code; OAuth endpoints say both. */
export function oauthWord(code: ErrorCode, status: number): string {
  if (code === 'auth.client_invalid' || code.startsWith('api_key.')) return 'invalid_client'
  if (code === 'auth.grant_unsupported') return 'unsupported_grant_type'
  if (status === 401 || status === 403) return 'invalid_grant'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** What may be told to a caller; everything else is `server.error` without internals. */
function asAppError(error: unknown): AppError | null {
  if (isAppError(error)) return error
  if (error instanceof ValidationError) {
    const fields = fieldsOf(error)
    return new AppError('request.validation', { params: { count: Object.keys(fields).length }, fields })
  }
  const code = (error as { code?: string }).code ?? ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('request.too_large', { params: { limit: 1_048_576 } })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('request.media_type')
  const status = (error as { statusCode?: number }).statusCode
  if (status !== undefined && status >= 400 && status < 500) return new AppError('request.malformed')
  // The database is going away, gone, or (53xxx) full.
  if (isConnectionLost(error) || code.startsWith('53'))
    return new AppError('server.unavailable', { retryAfterSeconds: 2 })
  if (code === '22021' || code === '22P05') return new AppError('request.validation', { params: { count: 1 } })
  return null
}
