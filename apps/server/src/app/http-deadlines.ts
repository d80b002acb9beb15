import type { IncomingMessage } from 'node:http'

/** Within this a whole request must have arrived; uploads have their own rule (no byte for a while). */
export const BODY_DEADLINE_MS = 60_000
/** Node's own limit, which knows no routes, must leave room for the longest upload. */
export const UPLOAD_DEADLINE_MS = 30 * 60_000

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Ends a request whose body trickles in: a slow sender must not hold a connection for ever. */
export function limitBodyTime(request: IncomingMessage, ms: number = BODY_DEADLINE_MS): void {
  const { headers } = request
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  const timer = setTimeout(() => {
    if (request.complete) return
    request.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
      request.destroy(),
    )
  }, ms)
  timer.unref()
  deadlines.set(request, timer)
  request.once('end', () => clearTimeout(timer))
  request.once('close', () => clearTimeout(timer))
}

/** For a route that takes a long body on purpose. */
export function liftBodyDeadline(request: IncomingMessage): void {
  clearTimeout(deadlines.get(request))
}
