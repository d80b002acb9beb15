import type { Ctx } from '../../../lib/context.ts'
import { AppError } from '../../../lib/errors.ts'
import type { McpTools } from './mcp-tools.ts'
import words from './mcp-words.json' with { type: 'json' }

/** What a message is answered; null: it was a notification, and nothing is said back. */
export type McpAnswer = Record<string, unknown> | null

/** The SDK and what it brings along, loaded when the first program comes: most installations never need it. */
const loadSdk = async () => {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { Server, Transport: WebStandardStreamableHTTPServerTransport, types }
}
let sdk: ReturnType<typeof loadSdk> | undefined

/**
 * Answers one message of the Model Context Protocol over streamable HTTP, without a session: who calls is found out anew
 * with each request, so a right that was lost is lost at once.
 * @throws AppError request.malformed when the message or its headers are not of the protocol
 */
export async function answerMcp(
  tools: McpTools,
  ctx: Ctx,
  message: object,
  about: { version: string; protocolVersion: string | undefined },
): Promise<McpAnswer> {
  sdk ??= loadSdk()
  const { Server, Transport, types } = await sdk
  const server = new Server(
    { name: 'thingwright', title: words.title[ctx.locale], version: about.version },
    { capabilities: { tools: {} }, instructions: await tools.instructions(ctx) },
  )
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools.list(ctx) }))
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const result = await tools.call(ctx, params.name, params.arguments ?? {})
    if (!result) throw new types.McpError(types.ErrorCode.InvalidParams, 'Unknown tool')
    return result
  })
  const transport = new Transport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    // The answer is always JSON, so what a client would accept beside it does not matter.
    const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
    if (about.protocolVersion !== undefined) headers.set('mcp-protocol-version', about.protocolVersion)
    const response = await transport.handleRequest(new Request('http://mcp.invalid/mcp', { method: 'POST', headers }), {
      parsedBody: message,
    })
    if (response.status === 202) return null
    if (!response.ok) throw new AppError('request.malformed')
    return (await response.json()) as Record<string, unknown>
  } finally {
    await server.close()
  }
}
