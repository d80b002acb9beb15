import { beforeAll, describe, expect, it } from 'vitest'
import type { Ctx } from '../lib/context.ts'
import { newId } from '../lib/ids.ts'
import { ToolQuestion } from '../lib/tools/tools.ts'
import { COMPANY_TOOLS } from './company-tools.ts'
import { type ToolHouse, toolHouse } from './testing/tool-house.ts'

/** Keys, company, tasks, inbox, materials, addresses, identities: mostly asked about. */
describe('tools of the company', () => {
  let house: ToolHouse
  let owner: Ctx
  let english: Ctx
  let key: { key: string; id: string }

  beforeAll(async () => {
    house = await toolHouse()
    owner = house.owner
    english = { ...owner, locale: 'en' }
    await house.proven(owner)
    const make = (name: string, over: object = {}) =>
      house.call(owner, 'POST /api/v1/api-keys', { body: { name, scopes: ['device:read'], ...over } })
    key = (await make('Warehouse', { expiresAt: new Date(Date.now() + 5 * 86_400_000).toISOString() })) as typeof key
    await make('[x](https://evil.example)')
    await make('Warehouse two')
  })

  it('list API keys, say which end soon, and never show one', async () => {
    const all = await house.read(english, 'list_api_keys')
    expect(all.text).toBe('There are 3 API keys; 1 of them expire within 30 days.')
    const soon = await house.read(english, 'list_api_keys', { expiring: true })
    expect(soon.data).toMatchObject({ total: 1, items: [{ name: 'Warehouse' }] })
    expect(JSON.stringify([all, soon])).not.toContain(key.key.slice(13))
  })

  it('revoke a key, found by name or by the pasted key, whose rest goes nowhere', async () => {
    const prepared = await house.prepare(english, 'revoke_api_key', { api_key: key.key })
    expect(prepared.calls).toEqual([{ route: 'POST /api/v1/api-keys/{id}/revoke', params: { id: key.id } }])
    expect(JSON.stringify(prepared)).not.toContain(key.key.slice(13))
    const made = await house.make(english, 'revoke_api_key', { api_key: 'Warehouse' })
    expect(made.result.text).toBe('The API key “Warehouse” is revoked.')
    expect(made.undo).toBeUndefined()
    expect(await house.problem(house.prepare(english, 'revoke_api_key', { api_key: key.id }))).toContain(
      'revoked already',
    )
    const hostile = await house.prepare(english, 'revoke_api_key', { api_key: 'evil' })
    expect(hostile.effects[0]).toContain('\\[x\\]\\(https://evil.example\\)')
    expect(await house.problem(house.prepare(english, 'revoke_api_key', { api_key: 'nothing' }))).toContain(
      'There is no API key called',
    )
    expect(await house.prepare(english, 'revoke_api_key', {}).catch(error => error)).toBeInstanceOf(ToolQuestion)
  })

  it('say where a key is made rather than making one, and to whom it is not given', async () => {
    const told = await house.read(english, 'new_api_key')
    expect(told.data).toEqual({ done: false, page: '/develop/LinkInterface?tab=keys', allowed: true })
    const clerk = { ...(await house.person('clerk', ['developer:read'])), locale: 'en' as const }
    const refused = await house.read(clerk, 'new_api_key')
    expect(refused.data).toMatchObject({ allowed: false })
    expect(refused.text).toContain('api-key:write')
  })

  it('show addresses and calls', async () => {
    expect((await house.read(english, 'connection_addresses')).text).toContain('MQTT: `localhost:1883`')
    expect((await house.read(english, 'api_usage')).text).toBe('No API key was used in the last 24 hours.')
  })

  it('tell how the company stands, less to whom may not read its profile', async () => {
    await house.db.superuser.query('update tenants set expires_at = $2 where id = $1', [
      house.tenantId,
      new Date(Date.now() + 11 * 86_400_000),
    ])
    const full = await house.read(english, 'company_info')
    expect(full.text).toContain('**Tool house**: active')
    expect(full.text).toContain('(11 days left)')
    expect(full.text).toContain('operation log 1095 days')
    const nobody = { ...(await house.person('nobody')), locale: 'en' as const }
    const part = await house.read(nobody, 'company_info')
    expect(part.text).toContain('**Tool house**: active')
    expect(part.text).not.toContain('Kept:')
    expect((await house.read(english, 'quota_usage')).text).toBe('There is room in every quota.')
    expect(await house.problem(house.read(nobody, 'quota_usage'))).toBe('permission.denied')
  })

  it('show background tasks; the export of the company asks who it is', async () => {
    const made = await house.make(english, 'verify_log_chain')
    expect(made.results).toHaveLength(1)
    const { data, text } = await house.read(english, 'list_tasks')
    expect(data).toMatchObject({ items: [{ kind: 'audit.verify', title: 'Verify operation log' }] })
    expect(text).toContain('The latest 1 background tasks')
    const unproven = { ...english, sessionId: newId() }
    expect(await house.problem(house.make(unproven, 'start_company_export'))).toBe('auth.proof_required')
    const exported = await house.make(english, 'start_company_export')
    expect(exported.result.data).toMatchObject({ taskId: expect.any(String) })
    const other = await house.person('other')
    expect((await house.read(other, 'list_tasks')).data).toEqual({ items: [] })
  })

  it('read the inbox and mark it read', async () => {
    await house.db.superuser.query('delete from notices where tenant_id = $1', [house.tenantId])
    expect((await house.read(english, 'inbox')).text).toBe('Your inbox is empty.')
    expect(await house.problem(house.prepare(english, 'mark_inbox_read'))).toBe('Nothing is unread.')
    await house.db.superuser.query(
      `insert into notices (id, tenant_id, kind, level, title_zh, title_en, link, login_ids)
       select $1, $2, 'device.offline', 'warning', 'z', $3, '/manage/device', array[id] from logins where username = 'owner'`,
      [newId(), house.tenantId, '[x](https://evil.example)'],
    )
    const { text, cards } = await house.read(english, 'inbox')
    expect(text).toBe('You have 1 unread notices.')
    const [row] = cards![0]!.kind === 'table' ? cards![0]!.rows : []
    expect(row!.Title).toEqual({ text: '[x](https://evil.example)', to: '/manage/device' })
    const made = await house.make(english, 'mark_inbox_read')
    expect(made.prepared.effects).toEqual(['1 unread notices of yours are marked as read'])
    expect((await house.read(english, 'inbox')).text).toBe('Nothing is unread; the latest are below.')
    expect((await house.read(english, 'announcements')).text).toBe('There are no announcements at present.')
  })

  it('find addresses and materials', async () => {
    expect((await house.read(english, 'list_addresses')).text).toBe('There is no such address.')
    await house.call(owner, 'POST /api/v1/addresses', {
      body: {
        receiver: 'Li Na',
        phone: '13800138000',
        province: '\u6d59\u6c5f\u7701',
        city: '\u676d\u5dde\u5e02',
        district: '\u897f\u6e56\u533a',
        detail: '**1** Road',
      },
    })
    const found = await house.read(english, 'list_addresses', { q: 'li na' })
    expect(found.text).toContain('There are 1 addresses.')
    expect(found.text).toContain('\\*\\*1\\*\\* Road')
    expect((await house.read(english, 'list_addresses', { q: 'nobody' })).data).toEqual({ items: [] })
    expect((await house.read(english, 'find_materials', { q: 'plan' })).text).toBe('There is no such material.')
  })

  it('tell how a device signs in, without any secret, and who waits to be registered', async () => {
    const product = (await house.call(owner, 'POST /api/v1/products', {
      body: { name: 'Gate', linkType: 'mqtt' },
    })) as {
      id: string
    }
    const device = (await house.call(owner, 'POST /api/v1/devices', {
      body: { productId: product.id, name: 'Gate 7' },
    })) as { id: string; deviceSecret: string }
    const token = (await house.call(owner, 'POST /api/v1/devices/{id}/access-token', {
      params: { id: device.id },
      body: {},
    })) as { accessToken: string }
    const told = await house.read(english, 'device_identity', { device: 'Gate 7' })
    expect(told.text).toContain('Access token: there is one')
    expect(JSON.stringify(told)).not.toContain(token.accessToken)
    expect(JSON.stringify(told)).not.toContain(device.deviceSecret)
    expect((await house.read(english, 'waiting_registrations', { product: 'Gate' })).text).toBe(
      'Registration of “Gate”: off.\nNo registration waits.',
    )
    expect(await house.problem(house.read(english, 'device_identity', { device: 'Gate 8' }))).toContain(
      'no device called',
    )
  })

  it('refuse whoever lacks the right that a tool names', async () => {
    const powerless = await house.person('powerless')
    for (const [tool, input] of [
      ['list_api_keys', {}],
      ['api_usage', {}],
      ['connection_addresses', {}],
      ['find_materials', {}],
      ['list_addresses', {}],
    ] as const)
      expect(await house.problem(house.read(powerless, tool, input))).toBe('permission.denied')
  })

  it('have names, words and at least six phrases of both languages each', () => {
    expect(new Set(COMPANY_TOOLS.map(tool => tool.name)).size).toBe(COMPANY_TOOLS.length)
    expect(COMPANY_TOOLS.length).toBeGreaterThan(50)
    for (const { name, words, input } of COMPANY_TOOLS) {
      expect(name).toMatch(/^[a-z][a-z0-9_]{2,63}$/)
      for (const locale of ['zh', 'en'] as const) {
        expect([name, locale, words.phrases[locale].length >= 6]).toEqual([name, locale, true])
        for (const text of Object.values(words.texts ?? {})) expect(text[locale].trim()).not.toBe('')
      }
      expect((input as { additionalProperties?: boolean }).additionalProperties).toBe(false)
    }
  })
})
