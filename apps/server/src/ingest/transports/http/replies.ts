import { ERROR_STATUS, type ErrorCode } from '@thingwright/contracts/errors'
import { errorText, localeOf } from '../../../lib/i18n.ts'
import { newId } from '../../../lib/ids.ts'
import type { DeviceAnswer } from '../../channel/device-frames.ts'

/** The message is durable. */
export const TAKEN: DeviceAnswer = { status: 200, retryAfter: 0, body: '{"ok":true}' }

export function json(body: string): DeviceAnswer {
  return { status: 200, retryAfter: 0, body }
}

export interface RefusalOptions {
  params?: Record<string, unknown>
  /** When another status than the one registered for the code says it better. */
  status?: number
  retryAfter?: number
}

/** `{code, message, requestId, params?}` as everywhere (interfaces.md §3), in the language the device asked for. */
export function refusal(language: string, code: ErrorCode, options: RefusalOptions = {}): DeviceAnswer {
  return {
    status: options.status ?? ERROR_STATUS[code],
    retryAfter: options.retryAfter ?? 0,
    body: JSON.stringify({
      code,
      message: errorText(localeOf(language), code, options.params),
      requestId: newId(),
      ...(options.params ? { params: options.params } : {}),
    }),
  }
}

/** What a refused message is told: why, and of which property or place in it. */
export function refusedParams(reason: string, path = ''): Record<string, unknown> {
  return path === '' ? { reason, what: reason } : { reason, path, what: `${reason} (${path})` }
}
