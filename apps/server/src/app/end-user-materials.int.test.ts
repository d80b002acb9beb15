import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import type { MediaView } from '@thingwright/contracts/media.contract'
import { emptyScene, newNode } from '@thingwright/scene'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../modules/media/testing.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

const PASSWORD = 'A password 4 tests'

let house: TriggerHouse
beforeAll(async () => {
  house = await triggerHouse()
}, 120_000)
afterAll(() => house.end())

let counter = 0
async function customer(over: object = {}): Promise<EndUserView & { token: string }> {
  const username = `material-user-${++counter}`
  const body = { username, name: username, password: PASSWORD, rights: ['pages'], ...over }
  const made = await house.call<EndUserView>('POST', '/end-users', house.owner, body)
  expect(made.status, made.text).toBe(201)
  const reply = await house.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { authorization: 'Basic Y2xpOmNsaQ==', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString(),
  })
  return { ...made.body, token: reply.json().access_token }
}

let size = 2
/** Another picture each time. */
const picture = () => png(size, size++)
async function add(token: string, name: string, bytes = picture(), fields: Record<string, string> = {}) {
  const made = await house.upload<MediaView>('/media', token, name, bytes, fields)
  expect(made.status, made.text).toBe(201)
  return made.body
}
function replace(token: string, { id, version }: MediaView, bytes: Buffer) {
  const boundary = 'of-a-test'
  const part = (name: string, more = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const head = `${part('version')}${version}\r\n${part('file', '; filename="x.bin"')}`
  return house.app.inject({
    method: 'PUT',
    url: `/api/v1/media/${id}/content`,
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
}
const list = async (token: string, query = '') =>
  (await house.call<{ items: MediaView[] }>('GET', `/media?sort=name${query}`, token)).body.items.map(
    ({ name }) => name,
  )
const folder = (token: string, name: string) => house.call<{ id: string }>('POST', '/media-folders', token, { name })
const usage = async (token: string, query = '') =>
  (await house.call<{ usedBytes: number; quotaBytes: number; count: number }>('GET', `/media/usage${query}`, token))
    .body

describe('materials of an end user', () => {
  it('are his own, in folders of his own; the company reads them and he reads nothing of the company', async () => {
    const [user, neighbour] = [await customer(), await customer()]
    const logo = await add(house.owner, 'company.png')
    const ofCompany = await folder(house.owner, 'Plans')
    const own = await folder(user.token, 'Plans')
    expect(own.status, own.text).toBe(201)
    const his = await add(user.token, 'his.png', picture(), { folderId: own.body.id })
    expect(await list(user.token)).toEqual(['his.png'])
    expect(await list(neighbour.token)).toEqual([])
    expect(await list(house.owner)).toEqual(['company.png'])
    expect(await list(house.owner, `&userId=${user.id}`)).toEqual(['his.png'])
    expect(await list(neighbour.token, `&userId=${user.id}`)).toEqual([])
    const folders = async (token: string, query = '') =>
      (await house.call<{ items: { id: string }[] }>('GET', `/media-folders${query}`, token)).body.items.map(f => f.id)
    expect(await folders(user.token)).toEqual([own.body.id])
    expect(await folders(house.owner)).toEqual([ofCompany.body.id])
    expect(await folders(house.owner, `?userId=${user.id}`)).toEqual([own.body.id])
    for (const [method, path] of [
      ['GET', `/media/${logo.id}`],
      ['DELETE', `/media/${logo.id}`],
      ['DELETE', `/media-folders/${ofCompany.body.id}`],
    ] as const)
      expect((await house.call(method, path, user.token)).status, path).toBe(404)
    expect((await house.call('GET', `/media/${his.id}`, neighbour.token)).status).toBe(404)
    // Neither goes into a folder of the other.
    const move = (token: string, item: MediaView, folderId: string) =>
      house.call('PATCH', `/media/${item.id}`, token, { version: item.version, folderId })
    expect((await move(user.token, his, ofCompany.body.id)).body.code).toBe('media.folder_not_found')
    expect((await move(house.owner, logo, own.body.id)).body.code).toBe('media.folder_not_found')
    expect(
      (await house.upload('/media', user.token, 'x.png', picture(), { folderId: ofCompany.body.id })).body.code,
    ).toBe('media.folder_not_found')
  })

  it('are closed to who was not granted pages', async () => {
    const user = await customer({ rights: ['view', 'control'] })
    expect((await house.call('GET', '/media', user.token)).status).toBe(403)
    expect((await house.upload('/media', user.token, 'a.png', picture())).status).toBe(403)
  })

  it('keep within his quota, that of his package, or what the installation gives', async () => {
    const bytes = Buffer.alloc(700_000, 1)
    const MB = 1024 * 1024
    const made = await house.call<{ id: string; mediaQuota: number }>('POST', '/user-packages', house.owner, {
      name: 'One megabyte',
      rights: ['pages'],
      mediaQuota: MB,
    })
    expect(made.body, made.text).toMatchObject({ mediaQuota: MB })
    const user = await customer({ rights: null, packageId: made.body.id })
    expect(user).toMatchObject({ mediaQuota: null, mediaLimit: MB })
    // Equal bytes are stored once, and count for each of his materials.
    await add(house.owner, 'same.bin', bytes)
    const one = await add(user.token, 'one.bin', bytes)
    expect(await usage(user.token)).toMatchObject({ usedBytes: 700_000, quotaBytes: MB, count: 1 })
    expect(await usage(house.owner, `?userId=${user.id}`)).toMatchObject({ usedBytes: 700_000, quotaBytes: MB })
    const company = (await usage(house.owner)).usedBytes
    const refused = await house.upload<{ message: string }>('/media', user.token, 'two.bin', bytes)
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ code: 'media.user_quota_exceeded', params: { limit: 1, used: 0.7 } })
    expect(refused.body.message).toMatch(/0\.7 MB/)
    expect((await usage(house.owner)).usedBytes).toBe(company)
    // What is replaced gives its room back first.
    expect((await replace(user.token, one, Buffer.alloc(1_000_000, 2))).statusCode).toBe(200)
    expect((await usage(user.token)).usedBytes).toBe(1_000_000)
    const now = (await house.call<MediaView>('GET', `/media/${one.id}`, user.token)).body
    expect((await replace(user.token, now, Buffer.alloc(1_100_000, 2))).json().code).toBe('media.user_quota_exceeded')
    expect((await replace(user.token, now, bytes)).statusCode).toBe(200)
    await house.call('PATCH', `/end-users/${user.id}`, house.owner, { version: user.version, mediaQuota: 2 * MB })
    await add(user.token, 'two.bin', bytes)
    expect(await usage(user.token)).toMatchObject({ usedBytes: 1_400_000, quotaBytes: 2 * MB, count: 2 })
    const other = await customer()
    expect(await usage(other.token)).toMatchObject({ usedBytes: 0, quotaBytes: 100 * MB })
  })

  it('go without taking the bytes of others along', async () => {
    const user = await customer()
    const bytes = picture()
    const shared = await add(house.owner, 'shared.png', bytes)
    const his = await add(user.token, 'the-same.png', bytes)
    expect((await house.call('DELETE', `/media/${his.id}`, user.token)).status).toBe(200)
    const { body } = await house.call<MediaView>('GET', `/media/${shared.id}`, house.owner)
    expect((await house.app.inject({ url: body.url })).statusCode).toBe(200)
  })

  it('stay while his page shows them, as do those of the company that its pages show', async () => {
    const user = await customer()
    const [his, logo] = [await add(user.token, 'on-page.png'), await add(house.owner, 'logo.png')]
    const scene = (...srcs: string[]) => ({
      ...emptyScene('canvas'),
      nodes: srcs.map((src, i) => newNode(`i${i}`, 'image', { props: { src } })),
    })
    const make = async (token: string, ...srcs: string[]) => {
      const body = { name: 'Pictures', suffix: `pictures-${++counter}`, scene: scene(...srcs) }
      const made = await house.call<{ id: string; version: number }>('POST', '/pages', token, body)
      expect(made.status, made.text).toBe(201)
      return made.body
    }
    // He knows the address of the company's picture: it is shown, and is not held by him.
    const page = await make(user.token, `/media/${his.id}`, `/media/${logo.id}`)
    const remove = async (item: MediaView, token: string) =>
      (await house.call('DELETE', `/media/${item.id}`, token)).body
    expect(await remove(his, user.token)).toMatchObject({
      code: 'media.in_use',
      params: { count: 1, usedBy: [{ objectType: 'cloud_page', objectId: page.id, label: 'Pictures' }] },
    })
    const ofCompany = await make(house.owner, `/media/${logo.id}`)
    expect(await remove(logo, house.owner)).toMatchObject({
      code: 'media.in_use',
      params: { count: 1, usedBy: [{ objectId: ofCompany.id }] },
    })
    // The published version holds what the draft no longer has.
    expect((await house.call('POST', `/pages/${page.id}/publish`, user.token, {})).status).toBe(200)
    const { version } = (await house.call<{ version: number }>('GET', `/pages/${page.id}`, user.token)).body
    const saved = await house.call('PUT', `/pages/${page.id}/draft`, user.token, { version, scene: scene() })
    expect(saved.status, saved.text).toBe(200)
    expect((await remove(his, user.token)).code).toBe('media.in_use')
    expect((await house.call('POST', `/pages/${page.id}/publish`, user.token, {})).status).toBe(200)
    expect(await remove(his, user.token)).toEqual({ ok: true })
    await house.call('DELETE', `/pages/${ofCompany.id}`, house.owner)
    expect(await remove(logo, house.owner)).toEqual({ ok: true })
  })

  it('keep a claim of the company on a page that an end user saves again', async () => {
    const user = await customer()
    const logo = await add(house.owner, 'given.png')
    const scene = { ...emptyScene('canvas'), nodes: [newNode('i', 'image', { props: { src: `/media/${logo.id}` } })] }
    const body = { name: 'Given', suffix: `given-${++counter}` }
    const { id, version } = (await house.call<{ id: string; version: number }>('POST', '/pages', user.token, body)).body
    // The company puts its picture on his page.
    const given = await house.call<{ version: number }>('PUT', `/pages/${id}/draft`, house.owner, { version, scene })
    expect(given.status, given.text).toBe(200)
    const again = await house.call('PUT', `/pages/${id}/draft`, user.token, { version: given.body.version, scene })
    expect(again.status, again.text).toBe(200)
    expect((await house.call('DELETE', `/media/${logo.id}`, house.owner)).body.code).toBe('media.in_use')
  })

  it('go to who stands above him when he is removed, into a folder of his name', async () => {
    const user = await customer()
    const outer = (await folder(user.token, 'Outer')).body.id
    const inner = await house.call<{ id: string }>('POST', '/media-folders', user.token, {
      name: 'In',
      parentId: outer,
    })
    const kept = await add(user.token, 'kept.png', picture(), { folderId: inner.body.id })
    await folder(house.owner, user.name)
    expect((await house.call('DELETE', `/end-users/${user.id}`, house.owner)).status).toBe(200)
    const { body } = await house.call<MediaView>('GET', `/media/${kept.id}`, house.owner)
    const tree = await house.call<{ items: { id: string; name: string }[] }>('GET', '/media-folders', house.owner)
    expect(tree.body.items.find(({ id }) => id === body.folderId)?.name).toBe(`${user.name} 2`)
    expect(await list(house.owner, `&folderId=${body.folderId}`)).toEqual(['kept.png'])
  })
})
