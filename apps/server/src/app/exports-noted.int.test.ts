import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { MemberActor } from '../lib/context.ts'
import type { StreamReply } from '../lib/http.ts'
import type { Container } from './container.ts'
import { testContainer } from './testing/test-app.ts'

let db: TestDatabase
let container: Container
let mine: Company

beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
  mine = await company(db)
})

describe('what is taken out as a file', () => {
  it('stands in the task centre of whoever took it, whichever list it came from', async () => {
    const exports = container.routes.filter(
      ({ contract }) => contract.method === 'GET' && contract.path.endsWith('/export') && !contract.path.includes('{'),
    )
    const own = exports.filter(({ contract }) => !contract.path.includes('/operator/'))
    expect(own.length).toBeGreaterThan(8)
    const names: string[] = []
    for (const { contract, handler } of own) {
      const input = {
        params: {},
        query: { format: 'csv' },
        body: undefined,
      }
      const reply = (await (handler as (ctx: unknown, input: unknown) => Promise<StreamReply>)(
        mine.ctx,
        input,
      )) as StreamReply
      reply.body.resume()
      expect(reply.fileName, contract.path).toBeTruthy()
      names.push(reply.fileName!)
    }
    const { items } = await container.tasks.service.list(mine.ctx, { limit: 100 })
    expect(items.map(({ kind, state, title }) => ({ kind, state, title }))).toEqual(
      names.toReversed().map(name => ({
        kind: 'list.export',
        state: 'succeeded',
        title: { zh: `导出 ${name}`, en: `Export ${name}` },
      })),
    )
    const colleague = { ...(mine.ctx.actor as MemberActor), loginId: (await company(db)).ctx.tenantId }
    expect((await container.tasks.service.list({ ...mine.ctx, actor: colleague }, {})).items).toEqual([])
  })
})
