import { Type } from 'typebox'
import { route } from './route.ts'

/** One JSON-RPC 2.0 message of a Model Context Protocol client; without `id` it is a notification. */
const McpMessage = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Integer()])),
  method: Type.String({ minLength: 1, maxLength: 100 }),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

export const mcpContract = {
  call: route({
    method: 'POST',
    path: '/mcp',
    tag: 'MCP',
    summary: 'The tools of the assistant for outside AI programs: Model Context Protocol, streamable HTTP, stateless',
    permission: 'signed-in',
    apiKeys: true,
    audit: { none: 'what a tool changes is logged by the routes that it calls' },
    body: McpMessage,
    // 202 without content for a notification, so the answer has no schema of its own.
    produces: 'application/json',
    response: Type.Unknown(),
  }),
}
