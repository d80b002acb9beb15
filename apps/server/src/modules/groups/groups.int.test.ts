import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { newId } from '../../lib/ids.ts'

let m: Management
let mine: Company
let theirs: Company
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
})

const add = (name: string, parentId: string | null = null, of: Company = mine) =>
  m.groups.service.create(of.ctx, { kind: 'device', name, parentId })
const names = async () => (await m.groups.service.list(mine.ctx, { kind: 'device' })).items.map(({ name }) => name)

describe('groups', () => {
  it('make a tree that is listed parents first', async () => {
    const plant = await add('Plant 一')
    const hall = await add('Hall', plant.id)
    await add('Line', hall.id)
    await add('Office', plant.id)
    expect(await names()).toEqual(['Plant 一', 'Hall', 'Line', 'Office'])
    expect(plant).toMatchObject({ kind: 'device', parentId: null, position: 0, count: 0, version: 1 })
  })

  it('are renamed, moved and reordered with a version', async () => {
    const root = await add('root A')
    const [x, y, z] = [await add('x', root.id), await add('y', root.id), await add('z', root.id)]
    const first = await m.groups.service.update(mine.ctx, z.id, { version: 1, position: 0 })
    expect(first).toMatchObject({ position: 0, version: 2 })
    const under = (await m.groups.service.list(mine.ctx, { kind: 'device' })).items.filter(g => g.parentId === root.id)
    expect(under.map(g => g.name)).toEqual(['z', 'x', 'y'])
    // Those who stepped aside were not changed: whoever edits them meets no conflict.
    expect(under.map(g => g.version)).toEqual([2, 1, 1])
    const moved = await m.groups.service.update(mine.ctx, x.id, { version: 1, parentId: y.id, name: 'x2' })
    expect(moved).toMatchObject({ parentId: y.id, name: 'x2', position: 0 })
    const up = await m.groups.service.update(mine.ctx, x.id, { version: 2, parentId: null })
    expect(up.parentId).toBeNull()
  })

  it('refuse a stale version and hand back the present group', async () => {
    const group = await add('stale')
    await m.groups.service.update(mine.ctx, group.id, { version: 1, name: 'fresh' })
    const error = await refusal(m.groups.service.update(mine.ctx, group.id, { version: 1, name: 'lost' }))
    expect(error.code).toBe('version.conflict')
    expect(error.params.current).toMatchObject({ id: group.id, name: 'fresh', version: 2 })
  })

  it('go eight levels deep and no deeper, also by moving a branch', async () => {
    let parent: string | null = null
    const chain: string[] = []
    for (let level = 1; level <= 8; level++) {
      parent = (await add(`deep ${level}`, parent)).id
      chain.push(parent)
    }
    const below = await refusal(add('deep 9', parent))
    expect(below).toMatchObject({ code: 'group.too_deep', params: { limit: 8 } })
    const branch = await add('branch')
    await add('twig', branch.id)
    const tooDeep = m.groups.service.update(mine.ctx, branch.id, { version: 1, parentId: chain[6]! })
    expect((await refusal(tooDeep)).code).toBe('group.too_deep')
    await m.groups.service.update(mine.ctx, branch.id, { version: 1, parentId: chain[5]! })
  })

  it('never form a circle, even when two moves meet', async () => {
    const a = await add('circle a')
    const b = await add('circle b', a.id)
    expect((await refusal(m.groups.service.update(mine.ctx, a.id, { version: 1, parentId: b.id }))).code).toBe(
      'group.cycle',
    )
    expect((await refusal(m.groups.service.update(mine.ctx, a.id, { version: 1, parentId: a.id }))).code).toBe(
      'group.cycle',
    )
    const [c, d] = [await add('circle c'), await add('circle d')]
    const both = await Promise.allSettled([
      m.groups.service.update(mine.ctx, c.id, { version: 1, parentId: d.id }),
      m.groups.service.update(mine.ctx, d.id, { version: 1, parentId: c.id }),
    ])
    expect(both.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('have different names among siblings', async () => {
    const parent = await add('namesakes')
    await add('same', parent.id)
    expect(await refusal(add('same', parent.id))).toMatchObject({ code: 'group.name_taken', params: { name: 'same' } })
    const other = await add('other', parent.id)
    const renamed = m.groups.service.update(mine.ctx, other.id, { version: 1, name: 'same' })
    expect((await refusal(renamed)).code).toBe('group.name_taken')
    await add('same', other.id)
  })

  it('are removed only when empty, and say what is in them', async () => {
    const parent = await add('full')
    const child = await add('inside', parent.id)
    const product = await m.products.service.create(mine.ctx, { name: 'P', linkType: 'mqtt' })
    const device = await m.devices.service.create(mine.ctx, { name: 'D', productId: product.id, groupId: child.id })
    expect((await refusal(m.groups.service.remove(mine.ctx, parent.id))).params).toEqual({ groups: 1, objects: 0 })
    expect((await refusal(m.groups.service.remove(mine.ctx, child.id))).params).toEqual({ groups: 0, objects: 1 })
    const listed = (await m.groups.service.list(mine.ctx, { kind: 'device' })).items
    expect(listed.find(g => g.id === child.id)?.count).toBe(1)
    // What lies in the recycle bin holds no group; restored, it stands in none.
    await m.devices.lifecycle.remove(mine.ctx, device.id)
    await m.groups.service.remove(mine.ctx, child.id)
    await m.groups.service.remove(mine.ctx, parent.id)
    expect((await m.devices.lifecycle.restore(mine.ctx, device.id)).groupId).toBeNull()
    expect((await refusal(m.groups.service.remove(mine.ctx, child.id))).code).toBe('group.not_found')
  })

  it('of one kind hold no other', async () => {
    const group = await add('for devices')
    const child = m.groups.service.create(mine.ctx, { kind: 'product', name: 'x', parentId: group.id })
    expect((await refusal(child)).code).toBe('group.kind_mismatch')
    const product = m.products.service.create(mine.ctx, { name: 'P', linkType: 'mqtt', groupId: group.id })
    expect((await refusal(product)).code).toBe('group.kind_mismatch')
    expect((await m.groups.service.list(mine.ctx, { kind: 'user' })).items).toEqual([])
  })

  it('of another company do not exist', async () => {
    const group = await add('secret plan', null, theirs)
    expect(await names()).not.toContain('secret plan')
    const mover = await add('mover')
    for (const attempt of [
      () => m.groups.service.update(mine.ctx, group.id, { version: 1, name: 'mine now' }),
      () => m.groups.service.remove(mine.ctx, group.id),
      () => add('below', group.id),
      () => m.groups.service.update(mine.ctx, mover.id, { version: 1, parentId: group.id }),
      () => m.groups.service.remove(mine.ctx, newId()),
    ]) {
      const error = await refusal(attempt())
      expect(error.code).toBe('group.not_found')
    }
    expect((await m.groups.service.list(theirs.ctx, { kind: 'device' })).items).toMatchObject([
      { name: 'secret plan', version: 1 },
    ])
  })

  it('leave a line in the operation log for every change', async () => {
    const group = await add('logged')
    await m.groups.service.update(mine.ctx, group.id, { version: 1, name: 'logged 2' })
    await m.groups.service.remove(mine.ctx, group.id)
    const { items } = await m.audit.service.list(mine.ctx, { objectId: group.id })
    expect(items.map(({ action, before, after }) => [action, before?.name ?? null, after?.name ?? null])).toEqual([
      ['group.remove', 'logged 2', null],
      ['group.update', 'logged', 'logged 2'],
      ['group.create', null, 'logged'],
    ])
    expect(items[0]).toMatchObject({ actorName: 'li.na', actorKind: 'member', ip: '192.0.2.7', result: 'ok' })
  })
})
