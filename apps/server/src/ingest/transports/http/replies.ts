import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERROR_STATUS, type ErrorCode } from '@thingwright/contracts/errors'
import { errorText, localeOf } from '../../../lib/i18n.ts'
import { newId } from '../../../lib/ids.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const TAKEN = Buffer.from('{"ok":true}')

/** The message is durable. */
export function sendTaken(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': TAKEN.length })
  response.end(TAKEN)
}

export function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

export interface ErrorOptions {
  params?: Record<string, unknown>
  /** When another status than the one registered for the code says it better. */
  status?: number
  retryAfterSeconds?: number
  /** The rest of the body is not wanted: the connection ends with this answer. */
  close?: boolean
}

/** `{code, message, requestId, params?}` as everywhere (interfaces.md §3), in the language the device asked for. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  options: ErrorOptions = {},
): void {
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(
    JSON.stringify({
      code,
      message: errorText(localeOf(request.headers['accept-language']), code, options.params),
      requestId: newId(),
      ...(options.params ? { params: options.params } : {}),
    }),
  )
  response.writeHead(options.status ?? ERROR_STATUS[code], {
    'content-type': JSON_TYPE,
    'content-length': body.length,
    ...(code === 'device_path.unauthorised' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(options.retryAfterSeconds === undefined ? {} : { 'retry-after': String(options.retryAfterSeconds) }),
    ...(options.close ? { connection: 'close' } : {}),
  })
  response.end(body)
}
