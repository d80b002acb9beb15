import { buffer, text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'

let m: Management
let mine: Company
let theirs: Company
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
})

const property = (identifier: string, over: object = {}) => ({
  identifier,
  name: identifier,
  dataType: { type: 'double' },
  ...over,
})
const make = (...properties: object[]) =>
  m.products.service.create(mine.ctx, { name: 'Tank', linkType: 'mqtt', thingModel: { properties } } as never)
const draft = (id: string, ...properties: object[]) =>
  m.products.service.setThingModel(mine.ctx, id, { properties: properties as Record<string, unknown>[] })
const versions = async (id: string) =>
  (await m.products.models.versions(mine.ctx, id, {})).items.map(
    ({ number, note, restoredFrom, current, properties }) =>
      `${number}${current ? '*' : ''} ${properties}p ${note}${restoredFrom === null ? '' : ` from ${restoredFrom}`}`,
  )
const identifiers = (model: unknown) =>
  (model as { properties: { identifier: string }[] }).properties.map(item => item.identifier)

describe('versions of a thing model', () => {
  it('are numbered as they are published, with who, when and why', async () => {
    const { id } = await make(property('a'))
    await draft(id, property('a'), property('b'))
    expect(await m.products.service.publish(mine.ctx, id, { note: 'b is new' })).toMatchObject({ modelVersion: 2 })
    expect(await versions(id)).toEqual(['2* 2p b is new', '1 1p '])
    const { items } = await m.products.models.versions(mine.ctx, id, {})
    expect(items[0]).toMatchObject({ publishedBy: '李娜', publishedAt: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(identifiers((await m.products.models.version(mine.ctx, id, 1)).model)).toEqual(['a'])
    const page = await m.products.models.versions(mine.ctx, id, { limit: 1 })
    const next = await m.products.models.versions(mine.ctx, id, { limit: 1, cursor: page.nextCursor! })
    expect([page.items[0]!.number, next.items[0]!.number, next.nextCursor]).toEqual([2, 1, null])
  })

  it('of a draft there are none, and publishing the same again makes none', async () => {
    const product = await m.products.service.create(mine.ctx, { name: 'Draft', linkType: 'mqtt', draft: true } as never)
    expect(await versions(product.id)).toEqual([])
    await m.products.service.publish(mine.ctx, product.id)
    expect(await versions(product.id)).toEqual(['1* 0p '])
    expect(await refusal(m.products.service.publish(mine.ctx, product.id))).toMatchObject({
      code: 'product.model_unchanged',
    })
  })

  it('are rolled back to by publishing them again; what was changed in the draft stays', async () => {
    const { id } = await make(property('a'))
    await draft(id, property('b'))
    await m.products.service.publish(mine.ctx, id, {})
    m.gateway.take()
    const back = await m.products.service.rollBack(mine.ctx, id, 1, { note: 'b was wrong' })
    expect(m.gateway.take()).toHaveLength(1)
    expect(back).toMatchObject({ modelVersion: 3, modelChanged: false })
    expect([identifiers(back.publishedModel), identifiers(back.thingModel)]).toEqual([['a'], ['a']])
    expect(await versions(id)).toEqual(['3* 1p b was wrong from 1', '2 1p ', '1 1p '])
    await draft(id, property('c'))
    const kept = await m.products.service.rollBack(mine.ctx, id, 2, {})
    expect([identifiers(kept.publishedModel), identifiers(kept.thingModel)]).toEqual([['b'], ['c']])
  })

  it('are refused when there is nothing to roll back to, and to those who saw another state', async () => {
    const { id, version } = await make(property('a'))
    const roll = (number: number, input: object) => refusal(m.products.service.rollBack(mine.ctx, id, number, input))
    expect(await roll(9, {})).toMatchObject({ code: 'product.model_version_unknown', params: { number: 9 } })
    expect(await roll(1, {})).toMatchObject({ code: 'product.model_unchanged' })
    expect(await roll(1, { version: version + 5 })).toMatchObject({ code: 'version.conflict' })
  })

  it('are kept whatever publishes a model, people or not', async () => {
    const { id } = await make(property('a'))
    await m.db.superuser.query(
      `update products set published_model = '{"properties":[],"events":[],"services":[]}', model_version = 2 where id = $1`,
      [id],
    )
    expect(await versions(id)).toEqual(['2* 0p ', '1 1p '])
  })

  it('of another company do not exist', async () => {
    const { id } = await make(property('a'))
    for (const call of [
      () => m.products.models.versions(theirs.ctx, id, {}),
      () => m.products.models.version(theirs.ctx, id, 1),
      () => m.products.models.impact(theirs.ctx, id, undefined),
      () => m.products.service.rollBack(theirs.ctx, id, 1, {}),
    ])
      expect(await refusal(call())).toMatchObject({ code: 'product.not_found' })
  })

  it('are compared in any direction', async () => {
    const { id } = await make(property('a'), property('b'))
    await draft(id, property('a', { unit: 'V' }), property('c'))
    await m.products.service.publish(mine.ctx, id, {})
    const compare = async (from: string, to: string) =>
      (await m.products.models.compare(mine.ctx, id, { from, to })).changes.map(
        change => `${change.kind} ${change.identifier}${change.breaking ? '!' : ''}`,
      )
    expect(await compare('1', '2')).toEqual(['removed b!', 'changed a', 'added c'])
    expect(await compare('2', '1')).toEqual(['removed c!', 'changed a', 'added b'])
    expect(await compare('published', 'draft')).toEqual([])
    const { changes } = await m.products.models.compare(mine.ctx, id, { from: '1', to: 'draft' })
    expect(changes[1]).toMatchObject({ before: { identifier: 'a' }, after: { identifier: 'a', unit: 'V' } })
    expect(await refusal(compare('1', '7'))).toMatchObject({ code: 'product.model_version_unknown' })
  })
})

describe('what a change would break', () => {
  it('is told with the devices, their own changes, and the format that uses it', async () => {
    const { id } = await make(property('temp'), property('level'), property('free'))
    const device = await m.devices.service.create(mine.ctx, { name: 'Oven', productId: id })
    await m.devices.models.set(mine.ctx, device.id, { changed: { temp: { unit: 'K' } } })
    await m.db.superuser.query('update products set format = $2 where id = $1', [
      id,
      { kind: 'script', source: 'return { values: { level: bytes[0] } }' },
    ])
    await draft(id, property('free'), property('more'))
    const impact = await m.products.models.impact(mine.ctx, id, undefined)
    expect(impact).toMatchObject({ breaking: true, deviceCount: 1, onlineCount: 0 })
    expect(impact.uses).toEqual([
      { kind: 'format', of: 'property', identifier: 'level', count: 1, examples: [] },
      {
        kind: 'overlay',
        of: 'property',
        identifier: 'temp',
        count: 1,
        examples: [{ id: device.id, name: 'Oven' }],
      },
    ])
    // Back to what is published: nothing breaks, and nobody is asked.
    expect(await m.products.models.impact(mine.ctx, id, '1')).toMatchObject({ changes: [], breaking: false, uses: [] })
  })
})

describe('a device with properties of its own', () => {
  it('has the product’s model with its changes over it, until they are reset', async () => {
    const { id } = await make(property('temp'), property('on', { dataType: { type: 'bool' } }))
    const device = await m.devices.service.create(mine.ctx, { name: 'Oven', productId: id })
    expect(await m.devices.models.get(mine.ctx, device.id)).toMatchObject({ localChanges: 0, overlay: {} })
    m.gateway.take()
    const set = await m.devices.models.set(mine.ctx, device.id, {
      changed: { temp: { name: 'Heat', min: 5 }, on: {} },
      added: [property('door')],
    })
    expect(m.gateway.take()).toHaveLength(1)
    expect(set).toMatchObject({ localChanges: 2, overlay: { changed: { temp: { name: 'Heat', min: 5 } } } })
    expect(identifiers(set.model)).toEqual(['temp', 'on', 'door'])
    // The product goes on; the device follows where it says nothing else.
    await draft(id, property('temp', { unit: '°C' }))
    await m.products.service.publish(mine.ctx, id, {})
    const after = await m.devices.models.get(mine.ctx, device.id)
    // What the product no longer has is not counted, and what is told can be sent back.
    expect(after.localChanges).toBe(2)
    expect(after.model).toMatchObject({
      properties: [{ name: 'Heat', unit: '°C', dataType: { min: 5 } }, { identifier: 'door' }],
    })
    const reset = await m.devices.models.reset(mine.ctx, device.id)
    const { rows: log } = await m.db.superuser.query(
      `select before -> 'model' as before, after -> 'model' as after from audit_logs where action = 'device.thing_model' and object_id = $1 order by at`,
      [device.id],
    )
    expect(log).toMatchObject([
      { before: {}, after: { changed: { temp: { name: 'Heat', min: 5 } } } },
      { before: { changed: {} }, after: {} },
    ])
    expect(reset).toMatchObject({ localChanges: 0, overlay: {} })
    expect(identifiers(reset.model)).toEqual(['temp'])
    expect((await m.db.superuser.query('select overrides from devices where id = $1', [device.id])).rows).toEqual([
      { overrides: {} },
    ])
  })

  it('is told what is wrong with them, and the rest of its settings stays', async () => {
    const { id } = await make(property('temp'))
    const device = await m.devices.service.create(mine.ctx, { name: 'Oven', productId: id })
    await m.db.superuser.query(`update devices set overrides = '{"link":{"x":1}}' where id = $1`, [device.id])
    const set = (input: object) => m.devices.models.set(mine.ctx, device.id, input)
    expect(await refusal(set({ changed: { temp: { access: 'rw' } } }))).toMatchObject({
      code: 'product.model_invalid',
      fields: { 'changed.temp.access': { code: 'model.choice_unknown' } },
    })
    expect(await refusal(set({ version: 99 }))).toMatchObject({ code: 'version.conflict' })
    await set({ changed: { temp: { unit: 'K' } } })
    await m.devices.models.reset(mine.ctx, device.id)
    const { rows } = await m.db.superuser.query('select overrides from devices where id = $1', [device.id])
    expect(rows).toEqual([{ overrides: { link: { x: 1 } } }])
    expect(await refusal(m.devices.models.get(theirs.ctx, device.id))).toMatchObject({ code: 'device.not_found' })
  })
})

describe('a model from elsewhere', () => {
  const preview = (id: string, input: object) =>
    m.products.models.previewImport(mine.ctx, id, { mode: 'merge', ...input } as never)

  it('is shown before it is taken: what it holds, what it changes, what has no place', async () => {
    const { id } = await make(property('a'), property('b'))
    const tsl = JSON.stringify({
      schema: 'x',
      properties: [
        { identifier: 'a', name: 'A', accessMode: 'rw', dataType: { type: 'int', specs: {} }, extra: 1 },
        { identifier: 'c', name: 'C', accessMode: 'r', dataType: { type: 'double', specs: { unit: 'V' } } },
      ],
    })
    const read = await preview(id, { source: 'json', text: tsl })
    expect(identifiers(read.merged)).toEqual(['a', 'b', 'c'])
    expect(read.changes.map(change => `${change.kind} ${change.identifier}`)).toEqual(['changed a', 'added c'])
    expect(read.dropped).toEqual([{ path: 'properties.a', field: 'extra' }])
    expect(identifiers((await preview(id, { source: 'tsl', text: tsl, mode: 'replace' })).merged)).toEqual(['a', 'c'])
    // Nothing was stored.
    expect((await m.products.service.get(mine.ctx, id)).modelChanged).toBe(false)
  })

  it('with mistakes is shown with them, in the reader’s language', async () => {
    const { id } = await make(property('a'))
    expect((await preview(id, { source: 'json', text: '{"properties":[' })).problems).toMatchObject([
      { code: 'model.json_invalid', message: expect.stringContaining('JSON') },
    ])
    const bad = JSON.stringify({ properties: [{ identifier: '1', dataType: { type: 'double' } }] })
    expect((await preview(id, { source: 'json', text: bad })).problems).toMatchObject([
      { path: 'properties[0].identifier', code: 'model.identifier_invalid', message: expect.stringContaining('字母') },
    ])
    expect(await refusal(preview(id, { source: 'product' }))).toMatchObject({ code: 'request.validation' })
  })

  it('goes out as a workbook and comes back the same; a bad row is named and the others taken', async () => {
    const { id } = await make(
      property('level', {
        dataType: { type: 'double', min: 0, max: 100, step: 0.5 },
        unit: '%',
        mapping: { up: { x1: 0, y1: 0, x2: 4095, y2: 100 } },
        store: { mode: 'deadband', band: 0.5 },
        outOfRange: 'bad',
        retentionDays: 30,
        default: 5,
      }),
      property('pos', { dataType: { type: 'struct', fields: [{ identifier: 'x', dataType: { type: 'int32' } }] } }),
      property('mode', { dataType: { type: 'enum', items: [{ value: 'a', name: '甲' }] }, access: 'rw' }),
    )
    const file = await m.products.models.exportFile(mine.ctx, id, { format: 'xlsx' })
    const content = (await buffer(file.body)).toString('base64')
    const read = await preview(id, { source: 'xlsx', content })
    expect(read.problems).toEqual([])
    expect(read.changes).toEqual([])
    expect(identifiers(read.model)).toEqual(['level', 'pos', 'mode'])
    const csv = Buffer.from('identifier,type\nok,bool\nnot ok,bool\n').toString('base64')
    const partly = await preview(id, { source: 'xlsx', content: csv })
    expect(identifiers(partly.model)).toEqual(['ok'])
    expect(partly.problems).toMatchObject([{ row: 3, path: 'identifier', code: 'model.identifier_invalid' }])
    const template = await m.products.models.exportFile(mine.ctx, id, { format: 'template' })
    const example = await preview(id, { source: 'xlsx', content: (await buffer(template.body)).toString('base64') })
    expect([identifiers(example.model), example.problems]).toEqual([['temperature', 'speed'], []])
  })

  it('is copied from another product, and goes out as JSON and as TSL', async () => {
    const { id } = await make(property('a'))
    const other = await make(property('z'))
    expect(identifiers((await preview(id, { source: 'product', productId: other.id })).merged)).toEqual(['a', 'z'])
    const file = async (format: 'json' | 'tsl') =>
      JSON.parse(await text((await m.products.models.exportFile(mine.ctx, id, { format })).body))
    expect(identifiers(await file('json'))).toEqual(['a'])
    expect(await file('tsl')).toMatchObject({ properties: [{ identifier: 'a', accessMode: 'r' }] })
  })
})
