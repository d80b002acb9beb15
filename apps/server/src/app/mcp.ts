import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const PATH = /^\/mcp(?:[/?]|$)/

/**
 * What streamable HTTP asks for beside its one POST (modules/assistant/mcp): nothing is pushed and no session is kept, so
 * GET and DELETE are told that there is no such method.
 */
export function mcpMethods(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    schema: { hide: true },
    handler: (_request, reply) =>
      reply
        .status(405)
        .header('allow', 'POST')
        .send({ jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed' }, id: null }),
  })
}

/** Tells a program of MCP that was not let in what it should come with (RFC 6750 §3). */
export function challengeMcp(request: FastifyRequest, reply: FastifyReply, status: number): void {
  if (status !== 401 || !PATH.test(request.url)) return
  const came = request.headers.authorization !== undefined
  reply.header('www-authenticate', `Bearer realm="thingwright"${came ? ', error="invalid_token"' : ''}`)
}
