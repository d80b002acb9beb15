import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Ctx } from '../../../lib/context.ts'
import { AppError } from '../../../lib/errors.ts'
import { silentLogger } from '../../../lib/log.ts'
import { defineTool, type PlannedCall, ToolProblem, ToolQuestion, type ToolWords } from '../../../lib/tools/tools.ts'
import { redact } from '../redact.ts'
import { createToolRegistry } from '../registry.ts'
import type { OutgoingTexts } from '../secrets/outgoing.ts'
import { withoutSecretTexts } from '../secrets/secret-texts.ts'
import { createMcpTools } from './mcp-tools.ts'

const words: ToolWords = { title: { zh: '工具', en: 'Tool' }, phrases: { zh: [], en: [] } }
const KEY = 'twk_abcdefgh_0123456789012345678901234567890123456789012'

/** As the company's, but that no database is asked: one word is known to be a secret. */
const outgoing: OutgoingTexts = {
  text: async text => withoutSecretTexts(text.replaceAll('waterpump', '[secret]')),
  value: async value => JSON.parse((await outgoing.text(JSON.stringify(redact(value)))) as string),
  messages: async () => [],
}

const ctx = (over: Partial<Ctx> = {}): Ctx => ({
  tenantId: 'company',
  actor: {
    kind: 'member',
    loginId: 'somebody',
    username: 'somebody',
    displayName: 'Somebody',
    permissions: new Set(['device:read', 'device:write'] as const),
    dataScope: { kind: 'all' },
  },
  locale: 'en',
  requestId: 'r',
  now: 0,
  userAgent: 'inspector/1',
  ...over,
})

function world(answer: (call: PlannedCall, asked: Ctx) => unknown = () => ({})) {
  const made: { call: PlannedCall; by: Ctx }[] = []
  const tools = createMcpTools({
    registry: createToolRegistry(
      [
        defineTool({
          name: 'look_around',
          class: 'read',
          description: 'Looks.',
          permission: 'device:read',
          input: Type.Object({ what: Type.Optional(Type.String()) }, { additionalProperties: false }),
          words,
          async run(_t, { what }) {
            if (what === 'nothing')
              throw new ToolProblem('There is nothing.', { title: 'Devices', to: '/manage/device' })
            if (what === 'which') throw new ToolQuestion('Which one?', 'what', [{ label: 'Pump', value: 'id-1' }])
            if (what === 'gone') throw new AppError('device.not_found')
            if (what === 'broken') throw new Error('select secret from somewhere')
            if (what === 'much') return { text: 'much', data: 'x'.repeat(300_000) }
            return {
              text: `a key: ${KEY}, hidden: \u{e0041}\u200b.`,
              data: { deviceSecret: 'canary', note: KEY, n: 1 },
            }
          },
        }),
        defineTool({
          name: 'change_two',
          class: 'write',
          description: 'Changes.',
          permission: 'device:write',
          input: Type.Object({ name: Type.String() }, { additionalProperties: false }),
          words,
          async prepare(_t, { name }) {
            const calls = ['one', 'two'].map(step => ({ route: `PATCH /${step}`, body: { name, password: 'canary' } }))
            return { calls, effects: [`${name} is changed`], memo: { was: 'before' } }
          },
          async finish(_t, { memo, results }) {
            return { result: { text: JSON.stringify({ memo, results }) } }
          },
        }),
        defineTool({
          name: 'delete_all',
          class: 'delete',
          description: 'Deletes.',
          permission: 'device:delete',
          input: Type.Object({}, { additionalProperties: false }),
          words,
          prepare: async () => ({ calls: [], effects: [] }),
          finish: async () => ({ result: { text: '' } }),
        }),
      ],
      [],
    ),
    callApi: async (by, call) => {
      made.push({ call, by })
      return answer(call, by)
    },
    outgoing: () => outgoing,
    timeZone: async () => 'Asia/Shanghai',
    onRefused: (_ctx, _contract, { params }) => refused.push(params),
    logger: silentLogger,
    now: () => 0,
  })
  const refused: object[] = []
  const said = async (name: string, args: Record<string, unknown> = {}, who = ctx()) => {
    const result = (await tools.call(who, name, args))!
    return { ...result, text: result.content.map(block => block.text).join('\n') }
  }
  return { tools, made, refused, said }
}

describe('tools of outside programs', () => {
  it('are those whose right the caller holds, and what is asked for beyond them is noted', async () => {
    const { tools, refused, said, made } = world()
    expect(tools.list(ctx()).map(tool => tool.name)).toEqual(['look_around', 'change_two'])
    expect(await said('delete_all')).toMatchObject({ isError: true, text: expect.stringContaining('device:delete') })
    expect(refused).toEqual([{ permission: 'device:delete', tool: 'delete_all' }])
    expect(await tools.call(ctx(), 'unheard_of', {})).toBeNull()
    expect(made).toEqual([])
  })

  it('say in words what is wrong and nothing of the inside', async () => {
    const { said } = world()
    expect(await said('look_around', { what: 'nothing' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('/manage/device'),
    })
    expect((await said('look_around', { what: 'which' })).text).toContain('Pump (id-1)')
    expect((await said('look_around', { what: 'gone' }, ctx({ locale: 'zh' }))).text).toMatch(/设备/)
    const broken = await said('look_around', { what: 'broken' })
    expect(broken.isError).toBe(true)
    expect(broken.text).not.toContain('select')
    expect(await said('look_around', { where: 1 })).toMatchObject({ isError: true })
    expect(await said('look_around', { confirm: 'x' })).toMatchObject({ isError: true })
  })

  it('give data without secrets, and no more than can be read', async () => {
    const { said } = world()
    const { text } = await said('look_around')
    expect(text).toContain('not instructions')
    expect(text).toContain('"n":1')
    expect(text).not.toContain(KEY)
    expect(text).toContain('hidden: .')
    expect(text).not.toContain('canary')
    expect((await said('look_around', { what: 'much' })).text.length).toBeLessThan(1000)
  })

  it('make exactly the calls that were shown, on the second call', async () => {
    const { said, made } = world(call => ({ route: call.route, token: 'canary' }))
    const first = await said('change_two', { name: 'Pump' })
    expect(made).toEqual([])
    expect(first.text).toContain('Pump is changed')
    expect(JSON.stringify(first)).not.toContain('canary')
    const second = await said('change_two', { name: 'Pump', confirm: first.structuredContent!.confirm })
    expect(made.map(({ call }) => [call.route, call.body])).toEqual([
      ['PATCH /one', { name: 'Pump', password: 'canary' }],
      ['PATCH /two', { name: 'Pump', password: 'canary' }],
    ])
    expect(made[0]!.by.userAgent).toBe('Thingwright MCP inspector/1')
    expect(second.text).toContain('"was":"before"')
    expect(second.text).not.toContain('canary')
    expect(second.structuredContent).toEqual({ done: true })
  })

  it('say the confirmation in words too, whatever it looks like, and show a change without its secrets', async () => {
    const { said, made } = world()
    for (let n = 0; n < 20; n++) {
      const first = await said('change_two', { name: `waterpump ${n}` })
      expect(first.text).toContain(`\`confirm: "${first.structuredContent!.confirm}"\``)
      expect(JSON.stringify(first)).not.toContain('waterpump')
      made.length = 0
      await said('change_two', { name: `waterpump ${n}`, confirm: first.structuredContent!.confirm })
      // What was asked for is made as it was asked for.
      expect(made[0]!.call.body).toMatchObject({ name: `waterpump ${n}` })
    }
  })

  it('tell how far a change came that failed on its way', async () => {
    const { said } = world(call => {
      if (call.route === 'PATCH /two') throw new AppError('device.not_found')
      return {}
    })
    const { structuredContent } = await said('change_two', { name: 'Pump' })
    const made = await said('change_two', { name: 'Pump', confirm: structuredContent!.confirm })
    expect(made).toMatchObject({ isError: true, text: expect.stringContaining('1 of 2') })
  })

  it('are not confirmed by another person, nor in another company', async () => {
    const { said, made } = world()
    const { structuredContent } = await said('change_two', { name: 'Pump' })
    const args = { name: 'Pump', confirm: structuredContent!.confirm }
    const actor = { ...(ctx().actor as object), loginId: 'another' } as Ctx['actor']
    expect((await said('change_two', args, ctx({ actor }))).isError).toBe(true)
    expect((await said('change_two', args, ctx({ tenantId: 'other' }))).isError).toBe(true)
    expect(made).toEqual([])
  })
})
