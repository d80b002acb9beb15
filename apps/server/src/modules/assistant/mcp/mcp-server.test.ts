import { describe, expect, it } from 'vitest'
import type { Ctx } from '../../../lib/context.ts'
import { AppError } from '../../../lib/errors.ts'
import { answerMcp } from './mcp-server.ts'
import type { McpTools } from './mcp-tools.ts'

const ctx: Ctx = {
  tenantId: 'company',
  actor: { kind: 'system', reason: 'test' },
  locale: 'zh',
  requestId: 'r',
  now: 0,
}
const tools: McpTools = {
  instructions: async () => 'how to',
  list: () => [],
  call: async (_ctx, name, args) =>
    name === 'echo' ? { content: [{ type: 'text', text: JSON.stringify(args) }] } : null,
}
const ask = (message: object, protocolVersion?: string) =>
  answerMcp(tools, ctx, { jsonrpc: '2.0', ...message }, { version: '1.2.3', protocolVersion })

describe('one message of the protocol', () => {
  it('of the beginning is answered with who we are', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    expect(await ask({ id: 1, method: 'initialize', params })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'thingwright', title: '物匠云', version: '1.2.3' },
        instructions: 'how to',
      },
    })
  })

  it('needs no beginning: nothing is kept between messages', async () => {
    const answer = await ask({ id: 'a', method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } })
    expect(answer).toMatchObject({ id: 'a', result: { content: [{ type: 'text', text: '{"a":1}' }] } })
  })

  it('that is a notification gets no answer', async () => {
    expect(await ask({ method: 'notifications/initialized' })).toBeNull()
  })

  it('for a tool or a method that is not there gets an error of the protocol', async () => {
    expect(await ask({ id: 2, method: 'tools/call', params: { name: 'x' } })).toMatchObject({
      error: { code: -32_602 },
    })
    expect(await ask({ id: 2, method: 'prompts/list' })).toMatchObject({ error: { code: -32_601 } })
    expect(await ask({ id: 2, method: 'tools/call', params: { name: 1 } })).toHaveProperty('error.code')
  })

  it('in a version of the protocol that nobody speaks is refused', async () => {
    await expect(ask({ id: 1, method: 'tools/list' }, '1999-01-01')).rejects.toThrow(AppError)
  })
})
