import { BUILTIN_ROLES } from '@thingwright/contracts/permissions'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ToolHouse, toolHouse } from '../../app/testing/tool-house.ts'
import type { Ctx } from '../../lib/context.ts'

describe('tools of roles', () => {
  let house: ToolHouse
  let owner: Ctx
  let english: Ctx

  beforeAll(async () => {
    house = await toolHouse()
    owner = house.owner
    english = { ...owner, locale: 'en' }
  })

  it('list roles and show one, named in either language', async () => {
    expect((await house.read(english, 'list_roles')).text).toMatch(/^There are \d+ roles, \d+ of them built in\.$/)
    const support = await house.read(english, 'role_info', { role: 'Support' })
    expect(support.text).toContain('**Support** (built in; a copy of it can be changed, 0 members)')
    expect(support.text).toContain('devices: command')
    expect(support.text).toContain('Nobody holds it')
    const zh = await house.read(owner, 'role_info', { role: '\u5ba2\u670d\u89d2\u8272' })
    expect(zh.data).toMatchObject({ builtin: true, rights: expect.arrayContaining(['device:command']) })
    const held = await house.read(english, 'role_info', { role: 'owner' })
    expect(held.text).toContain('Holders: Wang Fang')
    expect(await house.problem(house.read(english, 'role_info', { role: 'Astronaut' }))).toContain('no role called')
  })

  it('tell somebody his own rights', async () => {
    const { text, data } = await house.read(english, 'my_rights')
    expect(text).toContain('You are signed in as **Wang Fang**, roles: Owner.')
    expect(text).toMatch(/- devices: .*delete/)
    expect((data as { rights: string[] }).rights).toContain('device:delete')
  })

  it('tell why somebody may not, and who could grant it', async () => {
    const { rows } = await house.db.superuser.query(`select id from roles where tenant_id = $1 and key = 'read_only'`, [
      house.tenantId,
    ])
    const reader = { ...(await house.person('reader', ['device:read'])), locale: 'en' as const }
    await house.db.superuser.query(
      `insert into login_roles (tenant_id, login_id, role_id) select tenant_id, id, $1 from logins where username = 'reader'`,
      [rows[0].id],
    )
    const why = await house.read(reader, 'explain_refusal', { right: 'delete devices' })
    expect(why.text).toContain('You lack the right “devices: delete” (`device:delete`): none of your roles (Read only)')
    expect(why.text).toContain('These people can grant it: Wang Fang')
    expect(why.data).toMatchObject({ allowed: false, reason: 'permission_missing' })
    expect((await house.read(english, 'explain_refusal', { right: 'device:delete' })).data).toMatchObject({
      allowed: true,
    })
    expect((await house.read(english, 'explain_refusal', { right: 'make coffee' })).text).toContain('I do not know')
    expect((await house.read(english, 'explain_refusal', { device: 'nothing' })).text).toContain('no such device')
  })

  it('compare two roles', async () => {
    const { data, cards } = await house.read(english, 'compare_roles', { left: 'Support', right: 'Read only' })
    const { support, read_only: reader } = BUILTIN_ROLES
    const more = reader.permissions.filter(right => !support.permissions.includes(right))
    expect(more).toContain('firmware:read')
    expect(data).toMatchObject({ sameDataScope: true })
    expect((data as { onlyRight: string[] }).onlyRight.toSorted()).toEqual(more.toSorted())
    expect((data as { onlyLeft: string[] }).onlyLeft).toContain('device:command')
    expect(cards![0]).toMatchObject({ kind: 'table' })
    const same = await house.read(english, 'compare_roles', { left: 'Support', right: 'Support' })
    expect(same.text).toContain('Their rights are the same.')
  })

  it('create by copy, rename and delete, each with what was before', async () => {
    const made = await house.make(english, 'create_role', { name: 'Night shift', role: 'Support' })
    expect(made.prepared.calls[0]).toMatchObject({
      route: 'POST /api/v1/roles/{id}/copy',
      body: { name: 'Night shift' },
    })
    expect(
      await house.problem(house.prepare(english, 'create_role', { name: 'night SHIFT', role: 'Support' })),
    ).toContain('There is a role named')
    const renamed = await house.make(english, 'rename_role', { role: 'Night shift', name: '**Day** shift' })
    expect(renamed.result.text).toBe('The role is named “\\*\\*Day\\*\\* shift” now.')
    await house.undo(owner, renamed)
    const removed = await house.make(english, 'delete_role', { role: 'Night shift' })
    expect(removed.undo).toBeUndefined()
    const again = await house.make(english, 'create_role', { name: 'Late shift', role: 'Support' })
    await house.undo(owner, again)
    expect(await house.problem(house.read(english, 'role_info', { role: 'Late shift' }))).toContain('no role called')
  })

  it('refuse built-in roles, roles that are held, and rights that the asker lacks', async () => {
    expect(await house.problem(house.prepare(english, 'delete_role', { role: 'Support' }))).toContain('is built in')
    expect(await house.problem(house.prepare(english, 'rename_role', { role: 'Support', name: 'x' }))).toContain(
      'is built in',
    )
    const made = await house.make(english, 'create_role', { name: 'Held', role: 'Support' })
    const { id } = made.results[0] as { id: string }
    await house.db.superuser.query(
      `insert into login_roles (tenant_id, login_id, role_id) select tenant_id, id, $1 from logins where username = 'reader'`,
      [id],
    )
    expect(await house.problem(house.prepare(english, 'delete_role', { role: 'Held' }))).toContain(
      '1 members still hold “Held” (reader)',
    )
    const clerk = { ...(await house.person('clerk', ['role:read', 'role:write'])), locale: 'en' as const }
    expect(await house.problem(house.prepare(clerk, 'create_role', { name: 'All', role: 'Administrator' }))).toContain(
      'holds rights that you do not have yourself',
    )
    const nobody = await house.person('nobody')
    expect(await house.problem(house.read(nobody, 'list_roles'))).toBe('permission.denied')
  })
})
