import type { Socket } from 'node:net'

const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  // Browsers open connections ahead of use. Only after a 408 they send the next request again on another one.
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers a connection on which no request could be read (RFC 9110 §15.5), and closes it. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Pick<Socket, 'writable' | 'destroy' | 'end'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else
    socket.end(
      `HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    )
}
