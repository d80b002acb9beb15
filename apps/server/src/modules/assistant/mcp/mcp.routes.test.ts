import { describe, expect, it } from 'vitest'
import type { Actor, Ctx } from '../../../lib/context.ts'
import { silentLogger } from '../../../lib/log.ts'
import { createToolRegistry } from '../registry.ts'
import { mcpRoutes } from './mcp.routes.ts'

const person: Actor = {
  kind: 'member',
  loginId: 'somebody',
  username: 'somebody',
  displayName: 'Somebody',
  permissions: new Set(),
  dataScope: { kind: 'all' },
}
const program: Actor = { ...person, kind: 'apiKey', keyId: 'key', ownerId: 'somebody' }

function world() {
  const time = { now: 0 }
  const [route] = mcpRoutes({
    registry: createToolRegistry([], []),
    callApi: async () => ({}),
    outgoing: () => ({ text: async text => text, value: async value => value }),
    timeZone: async () => 'UTC',
    onRefused: () => undefined,
    isOff: async () => false,
    version: 'test',
    publicUrl: null,
    logger: silentLogger,
    now: () => time.now,
  })
  const send = (actor: Actor, tenantId = 'company') => {
    const ctx: Ctx = { tenantId, actor, locale: 'en', requestId: 'r', now: 0 }
    const http = { ip: '', userAgent: '', headers: {}, setHeader: () => undefined }
    return route!.handler(
      ctx,
      { body: { jsonrpc: '2.0', method: 'notifications/initialized' } } as never,
      http as never,
    )
  }
  return { time, send }
}

describe('messages of one person', () => {
  it('are taken three hundred times a minute, each person and company for itself', async () => {
    const { time, send } = world()
    for (let n = 0; n < 300; n++) await send(person)
    time.now = 40_000
    await expect(send(person)).rejects.toMatchObject({ code: 'rate.limited', retryAfterSeconds: 20 })
    await send({ ...person, loginId: 'another' })
    await send(person, 'other')
    time.now = 60_000
    await send(person)
  })

  it('that come from a program count against its key’s own limit only', async () => {
    const { send } = world()
    for (let n = 0; n < 301; n++) await send(program)
  })
})
