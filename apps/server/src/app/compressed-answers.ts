import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Below this many bytes an answer goes as it is: it fits into a packet either way. */
export const COMPRESSED_FROM_BYTES = 1_200

const compress = promisify(gzip)

/**
 * Sends JSON answers of the API as gzip to whoever says that he reads it (RFC 9110, 12.5.3). Streams and files are left
 * alone. The work is done beside the event loop, at the quickest level.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !/^application\/[\w.+-]*json\b/.test(String(reply.getHeader('content-type'))))
      return payload
    reply.header('vary', 'accept-encoding')
    if (
      payload.length < COMPRESSED_FROM_BYTES ||
      request.method === 'HEAD' ||
      !readsGzip(request.headers['accept-encoding'])
    )
      return payload
    reply.header('content-encoding', 'gzip')
    reply.removeHeader('content-length')
    return compress(payload, { level: constants.Z_BEST_SPEED })
  })
}

/** Whether a header Accept-Encoding allows gzip: named or through `*`, and not with a weight of 0. */
export function readsGzip(header: string | string[] | undefined): boolean {
  let any = false
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.toLowerCase().split(';')
    const refused = parameters.some(parameter => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter))
    if (name.trim() === 'gzip') return !refused
    if (name.trim() === '*') any = !refused
  }
  return any
}
