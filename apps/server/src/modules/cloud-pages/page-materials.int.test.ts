import { emptyScene, newNode, type Scene } from '@thingwright/scene'
import { materialIdsIn } from '@thingwright/scene/materials'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../../db/testing/management.ts'
import { kindsOf, transferFixture } from '../../db/testing/transfer.ts'
import { type CloudPagesService, createCloudPagesService } from './cloud-pages.service.ts'

let f: Awaited<ReturnType<typeof transferFixture>>
let pages: CloudPagesService
beforeAll(async () => {
  f = await transferFixture()
  pages = createCloudPagesService({ database: f.m.database })
  return () => f.stop()
})

const KINDS = ['materials', 'pages']
let made = 0

/** A picture of the company, with bytes of its own. */
const picture = (of: Company, name: string) =>
  f.storeMaterial(of.id, { name, bytes: Buffer.from(`${name} of ${of.id}`), isPublic: true })

/** A page that shows pictures in all the ways in which one can be named: as it is, by value, by expression, by a click. */
const showing = (one: string, two: string): Scene => ({
  ...emptyScene('canvas'),
  nodes: [
    newNode('plain', 'image', { props: { src: `/media/${one}`, label: 'https://other.example/media/' } }),
    newNode('value', 'image', {
      bind: [
        {
          prop: 'src',
          source: { from: 'constant', value: 1 },
          map: {
            kind: 'ranges',
            items: [{ min: 1, max: null, value: `/media/${one}` }],
            otherwise: `/media/${two}`,
          },
        },
        { prop: 'label', source: { from: 'expression', text: `1 > 0 ? "/media/${two}" : "x"` } },
      ],
    }),
    newNode('click', 'hot-area', { events: [{ on: 'click', do: 'url', url: `/media/${two}?download=1` }] }),
  ],
})

async function shown() {
  const own = await company(f.m.db)
  const [plan, manual] = [await picture(own, 'plan.png'), await picture(own, 'manual.png')]
  const owner = f.asOwner(own)
  const page = await pages.create(owner, { name: 'Hall', suffix: `pictures-${++made}`, scene: showing(plan, manual) })
  await pages.publish(owner, page.id, 'first')
  return { own, plan, manual, page }
}

const hall = async (of: Company) => {
  const { items } = await pages.list(f.asOwner(of), { limit: 10, sort: 'createdAt' })
  const page = items.find(({ name }) => name === 'Hall')!
  return { page, draft: await pages.draft(f.asOwner(of), page.id) }
}
const materialsOf = async (of: Company) => {
  const { rows } = await f.m.db.superuser.query(
    `select m.id, name, public, array(select object_id from media_uses u where u.media_id = m.id) as uses
     from media m where tenant_id = $1 order by created_at, id`,
    [of.id],
  )
  return rows as { id: string; name: string; public: boolean; uses: string[] }[]
}
const named = async (of: Company, taskId: string) =>
  (await f.tasks.service.failures(f.asOwner(of), taskId, { limit: 100 })).items
    .filter(({ code }) => code === 'transfer.page_unbound')
    .map(({ item, message }) => [item, message])

describe('pictures on cloud pages in the file of a company', () => {
  it('are those that came with it, public and held by the page', async () => {
    const { own, plan, manual } = await shown()
    const file = await f.packed(own)
    const next = await company(f.m.db)
    const { id } = await f.upload(next, file)

    const trial = await f.bring(next, id, { kinds: KINDS, dryRun: true })
    expect(kindsOf(trial)).toMatchObject({ materials: { created: 2 }, pages: { created: 1 } })
    expect(await named(next, trial.id)).toEqual([])
    expect(await materialsOf(next)).toEqual([])

    const task = await f.bring(next, id, { kinds: KINDS })
    expect(await named(next, task.id)).toEqual([])
    const { page, draft } = await hall(next)
    const there = await materialsOf(next)
    expect(there.map(({ name, public: isPublic, uses }) => [name, isPublic, uses])).toEqual([
      ['plan.png', true, [page.id]],
      ['manual.png', true, [page.id]],
    ])
    const moved = { ...showing(there[0]!.id, there[1]!.id) }
    expect(draft.nodes).toEqual(moved.nodes)
    expect(page).toMatchObject({ state: 'published', changed: false })
    const version = (await pages.version(f.asOwner(next), page.id, 1)).scene
    expect(JSON.stringify(version)).not.toContain(plan)
    expect(JSON.stringify(version)).not.toContain(manual)

    // Again: the same pictures, whether the page alone is replaced or all of it.
    for (const kinds of [['pages'], KINDS]) {
      await f.bring(next, id, { kinds, existing: 'replace' })
      expect((await hall(next)).draft.nodes).toEqual(moved.nodes)
      expect((await hall(next)).page.publishedNo).toBe(1)
    }
    expect(await materialsOf(next)).toHaveLength(2)
  })

  it('are taken out and named, and the page waits, where they are not in the file', async () => {
    const { own } = await shown()
    const file = await f.packed(own, { materials: false })
    const next = await company(f.m.db)
    const { id } = await f.upload(next, file)
    const task = await f.bring(next, id, { kinds: ['pages'] })
    expect(await named(next, task.id)).toEqual([['Hall', expect.stringContaining('plan.png, manual.png')]])
    const { page, draft } = await hall(next)
    expect(page.state).toBe('withdrawn')
    expect(materialIdsIn(draft)).toEqual([])
    expect(draft.nodes.map(({ props, events }) => [props.src, events])).toEqual([
      ['', []],
      [undefined, []],
      [undefined, []],
    ])
    expect(draft.nodes[1]!.bind).toMatchObject([
      { map: { items: [{ value: '' }], otherwise: '' } },
      { source: { text: '1 > 0 ? "" : "x"' } },
    ])
  })

  it('are found among the public ones of the company by their bytes, and never made public', async () => {
    const { own, plan } = await shown()
    const file = await f.packed(own, { materials: false })
    const next = await company(f.m.db)
    const copy = (name: string, isPublic: boolean) =>
      f.storeMaterial(next.id, { name, bytes: Buffer.from(`${name} of ${own.id}`), isPublic })
    await copy('plan.png', true)
    const secret = await copy('manual.png', false)
    const task = await f.bring(next, (await f.upload(next, file)).id, { kinds: ['pages'] })
    expect(await named(next, task.id)).toEqual([['Hall', expect.not.stringContaining('plan.png')]])
    expect(await named(next, task.id)).toEqual([['Hall', expect.stringContaining('manual.png')]])
    const { draft } = await hall(next)
    expect(materialIdsIn(draft)).toEqual([(await materialsOf(next))[0]!.id])
    expect(materialIdsIn(draft)).not.toContain(plan)
    expect((await materialsOf(next)).find(({ id }) => id === secret)).toMatchObject({ public: false, uses: [] })

    // With the materials in the file a public one is made beside it.
    await f.bring(next, (await f.upload(next, await f.packed(own))).id, { kinds: KINDS, existing: 'replace' })
    expect((await materialsOf(next)).map(({ name, public: isPublic }) => [name, isPublic])).toEqual([
      ['plan.png', true],
      ['manual.png', false],
      ['manual.png', true],
    ])
    expect((await hall(next)).page.state).toBe('published')
  })

  it('stay the same where the file comes from', async () => {
    const { own, plan, manual, page } = await shown()
    const { id } = await f.upload(own, await f.packed(own))
    const task = await f.bring(own, id, { kinds: KINDS, existing: 'replace' })
    expect(await named(own, task.id)).toEqual([])
    expect((await hall(own)).draft.nodes).toEqual(showing(plan, manual).nodes)
    expect((await hall(own)).page).toMatchObject({ id: page.id, publishedNo: 1, state: 'published' })
    expect(await materialsOf(own)).toHaveLength(2)
  })
})
