import type { IncomingMessage, ServerResponse } from 'node:http'
import { toOriginForm } from '../../../lib/origin-form.ts'
import type { DeviceAnswer, DeviceCall } from '../../channel/device-frames.ts'
import { readBody } from './body.ts'

/** The request as the transport sees it, wherever it came in. */
export function callOf(request: IncomingMessage, address: string, body: Buffer): DeviceCall {
  const { headers } = request
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    authorization: headers.authorization ?? '',
    language: headers['accept-language'] ?? '',
    contentType: headers['content-type'] ?? '',
    contentEncoding: headers['content-encoding'] ?? '',
    httpVersion: request.httpVersion,
    address,
    body,
  }
}

/** Writes an answer. The body is a string, so that head and body leave in one write. */
export function writeAnswer(
  response: ServerResponse,
  { status, retryAfter, body }: DeviceAnswer,
  close: boolean,
): void {
  if (response.headersSent || response.destroyed) return
  const headers: Record<string, string | number> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  }
  if (retryAfter > 0) headers['retry-after'] = retryAfter
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (close) headers.connection = 'close'
  response.writeHead(status, headers)
  response.end(body)
}

/** One request under way: how to answer it, and whether anybody still waits. */
export interface Exchange {
  answer(answer: DeviceAnswer): void
  gone(): boolean
  /** Runs once when the asker goes before the answer has left. */
  onGone(handle: () => void): void
}

/** Serves devices straight from an HTTP server of this process. */
export function serveNode(
  handle: (call: DeviceCall, exchange: Exchange) => void,
  addressOf: (request: IncomingMessage) => string,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    toOriginForm(request)
    readBody(request, ({ bytes, whole }) =>
      handle(callOf(request, addressOf(request), bytes), {
        answer: answer => writeAnswer(response, answer, !whole),
        gone: () => response.destroyed,
        onGone: leave => void response.once('close', () => !response.writableFinished && leave()),
      }),
    )
  }
}
