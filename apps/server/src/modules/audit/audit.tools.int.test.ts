import { rolesContract } from '@thingwright/contracts/roles.contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ToolHouse, toolHouse } from '../../app/testing/tool-house.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { plannedCall } from '../../lib/tools/tools.ts'
import { nameAfterKind, objectTypeOf } from './action-words.ts'

describe('tools of the logs', () => {
  let house: ToolHouse
  let owner: Ctx
  let english: Ctx
  let clerk: Ctx

  beforeAll(async () => {
    house = await toolHouse()
    owner = house.owner
    english = { ...owner, locale: 'en' }
    clerk = await house.person('clerk', ['audit:read'])
    const { rows } = await house.db.superuser.query(`select id from roles where tenant_id = $1 and key = 'support'`, [
      house.tenantId,
    ])
    for (const name of ['Night shift', '![x](https://evil.example/leak)']) {
      const planned = plannedCall(rolesContract.copy, { params: { id: rows[0].id }, body: { name } })
      await house.call(owner, planned.route, planned)
    }
    await house.make(owner, 'delete_role', { role: 'Night shift' })
    await house.problem(house.call(clerk, 'DELETE /api/v1/roles/{id}', { params: { id: rows[0].id } }))
    const signIn = (name: string, result: string, at: string) =>
      house.db.superuser.query(
        `insert into sign_in_events (id, tenant_id, login_id, username, method, place, client, result, reason, ip, at)
         select $1, tenant_id, id, username, 'password', 'unknown', 'Firefox', $3, $4, '203.0.113.9', $5 from logins where username = $2`,
        [newId(), name, result, result === 'ok' ? null : 'auth.credentials_invalid', at],
      )
    await signIn('clerk', 'ok', new Date(Date.now() - 3_600_000).toISOString())
    await signIn('clerk', 'refused', new Date(Date.now() - 1_800_000).toISOString())
    await signIn('owner', 'ok', new Date(Date.now() - 40 * 86_400_000).toISOString())
  })

  it('tell who did what, newest first, with names as data', async () => {
    const { text, cards, data } = await house.read(english, 'search_operation_log')
    expect(text).toContain('Latest: ')
    const [table] = cards!
    const rows = table!.kind === 'table' ? table!.rows : []
    expect(rows.map(row => row.Object!.text)).toContain('![x](https://evil.example/leak)')
    expect(rows[0]!.At!.to).toMatch(/^\/admin\/action\?line=/)
    expect((data as { items: unknown[] }).items.length).toBeGreaterThan(2)
    const made = await house.read(english, 'search_operation_log', { what: 'create', object: '![x](' })
    expect(made.text).toContain('\\!\\[x\\]\\(https://evil.example/leak\\)')
  })

  it('narrow to a person, an object, a sort of action, a result and a time', async () => {
    const deleted = await house.read(english, 'search_operation_log', { object: 'Night shift', what: 'delete' })
    expect(deleted.data).toMatchObject({ total: 1, items: [{ actorName: 'owner', action: 'role.remove' }] })
    const kind = await house.read(english, 'search_operation_log', { object: 'roles', what: 'create' })
    expect(kind.data).toMatchObject({ total: 2 })
    const mine = await house.read(english, 'search_operation_log', { member: 'owner', period: 'today' })
    expect((mine.data as { items: { actorName: string }[] }).items.every(line => line.actorName === 'owner')).toBe(true)
    // The line of a refusal is written beside the answer.
    const refused = async () => (await house.read(english, 'search_operation_log', { result: 'refused' })).data
    await expect.poll(refused).toMatchObject({ items: [{ actorName: 'clerk', result: 'refused' }] })
    const none = await house.read(english, 'search_operation_log', { period: '2020-01-01/2020-01-02' })
    expect(none.text).toMatch(/^No such operation/)
    expect(none.data).toMatchObject({ total: 0 })
  })

  it('find by name whoever the log knows, also when he is no member any more', async () => {
    const gone = await house.read(english, 'search_operation_log', { member: 'somebody-who-left' })
    expect(gone.data).toMatchObject({ total: 0 })
    expect(
      await house.problem(house.read(english, 'search_operation_log', { period: 'the day of the frog' })),
    ).toContain('the day of the frog')
  })

  it('show sign-ins; what people call failed was refused', async () => {
    const all = await house.read(english, 'sign_in_history')
    expect(all.data).toMatchObject({ total: 3 })
    const failed = await house.read(english, 'sign_in_history', { member: 'clerk', result: 'failed' })
    expect(failed.data).toMatchObject({
      total: 1,
      items: [{ username: 'clerk', result: 'refused', ip: '203.0.113.9' }],
    })
    expect((await house.read(english, 'sign_in_history', { period: 'past 2 days' })).data).toMatchObject({ total: 2 })
    const own = await house.read(clerk, 'my_sign_ins')
    expect(own.data).toMatchObject({ total: 2 })
  })

  it('say how the chain is and verify it as a task', async () => {
    expect((await house.read(english, 'log_chain')).text).toContain('Lines are kept for 1095 days.')
    const made = await house.make(english, 'verify_log_chain')
    expect(made.prepared.calls).toEqual([{ route: 'POST /api/v1/audit-logs/verify' }])
    expect(made.results[0]).toMatchObject({ taskId: expect.any(String) })
    expect(made.undo).toBeUndefined()
  })

  it('refuse whoever may not read the logs', async () => {
    const nobody = await house.person('nobody')
    for (const tool of ['search_operation_log', 'sign_in_history', 'log_chain'])
      expect(await house.problem(house.read(nobody, tool))).toBe('permission.denied')
    expect((await house.read(nobody, 'my_sign_ins')).data).toMatchObject({ total: 0 })
  })

  it.each([
    ['devices', 'device'],
    ['the role', 'role'],
    ['\u8bbe\u5907', 'device'],
    ['\u6210\u5458', 'login'],
    ['pump 7', null],
  ])('the kind that %s names is %s', (said, type) => expect(objectTypeOf(said)).toBe(type))

  it.each([
    ['the device pump 7', 'pump 7'],
    ['\u8bbe\u5907\u6c34\u6cf5', '\u6c34\u6cf5'],
    ['pump 7', 'pump 7'],
    ['Devices', 'Devices'],
  ])('what %s names is %s', (said, name) => expect(nameAfterKind(said)).toBe(name))
})
