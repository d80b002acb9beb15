import { emptyScene, newNode, type Scene } from '@thingwright/scene'
import { expect, it } from 'vitest'
import {
  bringPage,
  MOST_OF_PICTURES,
  type PageFile,
  type PictureStore,
  packPage,
  readPageFile,
  withoutContent,
} from './page-file.ts'

const [PLAN, LOGO, GONE] = [1, 2, 3].map(n => `0192f0c0-0000-7000-8000-00000000000${n}`) as [string, string, string]

interface Stored {
  id: string
  name: string
  bytes: string
  public: boolean
  size?: number
}

/** Materials of one company; those of the others are reached by their public address only. */
function storeOf(materials: Stored[], { elsewhere = [] as Stored[], quota = Number.POSITIVE_INFINITY } = {}) {
  const view = ({ id, name, bytes, public: isPublic, size }: Stored) => ({
    ...{ id, name, public: isPublic, sha256: `hash of ${bytes}`, contentType: 'image/png' },
    ...{ size: size ?? bytes.length, url: `/media/${id}?signed` },
  })
  const store: PictureStore = {
    get: async id => materials.filter(each => each.id === id).map(view)[0],
    named: async name => materials.filter(each => each.name === name).map(view),
    async read(url) {
      const found = [...materials, ...elsewhere].find(({ id }) => url.startsWith(`/media/${id}`))
      return found && new Blob([found.bytes], { type: 'image/png' })
    },
    async add(file) {
      if (materials.length >= quota) throw new Error('No room')
      const id = `0192f0c0-0000-7000-8000-0000000000a${materials.length}`
      materials.push({ id, name: file.name, bytes: await file.text(), public: true })
      return { id }
    },
  }
  return { store, materials }
}

const showing = (...ids: string[]): Scene => ({
  ...emptyScene('canvas'),
  nodes: ids.map((id, i) => newNode(`n${i}`, 'image', { props: { src: `/media/${id}` } })),
})
const giver = () =>
  storeOf([
    { id: PLAN, name: 'plan.png', bytes: '\u0000plan', public: true },
    { id: LOGO, name: 'logo.png', bytes: 'logo', public: true },
  ]).store
const shownIn = (scene: Scene) => scene.nodes.map(({ props }) => props.src)

/** Imports a file; what was stored at the end. */
async function brought(file: PageFile, store: PictureStore) {
  const steps: { what: string; shown: unknown[] }[] = []
  const step = (what: string, scene: Scene) => steps.push({ what, shown: shownIn(scene) })
  const { missing } = await bringPage(file, store, {
    create: async scene => step('create', scene),
    save: async (_page, scene) => step('save', scene),
  })
  return { steps, missing }
}

it('takes its pictures along and brings them into the materials of whoever imports it', async () => {
  const file = await packPage({ name: 'Hall', scene: showing(PLAN, LOGO, PLAN) }, giver())
  expect(file.pictures.map(({ name, type }) => [name, type])).toEqual([
    ['plan.png', 'image/png'],
    ['logo.png', 'image/png'],
  ])
  const taker = storeOf([])
  const { steps, missing } = await brought(JSON.parse(JSON.stringify(file)) as PageFile, taker.store)
  expect(missing).toEqual([])
  expect(taker.materials.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['plan.png', '\u0000plan'],
    ['logo.png', 'logo'],
  ])
  const [plan, logo] = taker.materials.map(({ id }) => `/media/${id}`)
  expect(steps).toEqual([
    { what: 'create', shown: ['', '', ''] },
    { what: 'save', shown: [plan, logo, plan] },
  ])
})

it('keeps its own where it comes from, and uses a public one that is the same', async () => {
  const file = await packPage({ name: 'Hall', scene: showing(PLAN, LOGO) }, giver())
  expect((await brought(file, giver())).steps).toEqual([
    { what: 'create', shown: [`/media/${PLAN}`, `/media/${LOGO}`] },
  ])
  const taker = storeOf([
    { id: 'same', name: 'plan.png', bytes: '\u0000plan', public: true },
    { id: 'secret', name: 'logo.png', bytes: 'logo', public: false },
  ])
  const { steps } = await brought(file, taker.store)
  expect(steps.at(-1)!.shown).toEqual(['/media/same', `/media/${taker.materials[2]!.id}`])
})

it('names pictures that are not in the file, that are beyond the quota, and none of other companies stays', async () => {
  const scene = showing(GONE, PLAN, LOGO)
  scene.nodes[0]!.name = 'Photo of the hall'
  const file = await packPage({ name: 'Hall', scene }, giver())
  expect(withoutContent(file)).toEqual(['Photo of the hall'])
  const { steps, missing } = await brought(file, storeOf([], { quota: 1 }).store)
  expect(missing).toEqual([
    { name: 'Photo of the hall', reason: '' },
    { name: 'logo.png', reason: 'No room' },
  ])
  expect(steps.at(-1)!.shown).toEqual(['', expect.stringMatching(/^\/media\/.*a0$/), ''])
})

it('reads files of older versions, which have no pictures', async () => {
  const old: PageFile = { name: 'Hall', scene: showing(PLAN) }
  expect(withoutContent(old)).toEqual(['0192f0c0'])
  expect(await brought(old, storeOf([]).store)).toEqual({
    steps: [{ what: 'create', shown: [''] }],
    missing: [{ name: '0192f0c0', reason: '' }],
  })
  expect((await brought(old, giver())).steps).toEqual([{ what: 'create', shown: [`/media/${PLAN}`] }])
})

it('reads an export, a document alone, and what is neither', () => {
  const scene = showing(PLAN)
  const picture = { id: PLAN, name: 'plan.png', type: 'image/png', content: 'AA==' }
  const read = readPageFile({ name: 'Hall', scene, pictures: [picture, { ...picture, name: '' }, { id: 7 }, null] })
  expect([read.scene?.nodes.length, read.pictures]).toEqual([1, [picture]])
  expect(readPageFile(scene)).toMatchObject({ scene: { kind: 'canvas' }, pictures: [] })
  for (const wrong of [null, 7, [], { pictures: 'x' }])
    expect(readPageFile(wrong)).toMatchObject({ scene: null, pictures: [] })
})

it('loads a picture that the exporter does not see by its public address, and leaves out what is too large', async () => {
  const others = [{ id: LOGO, name: 'logo.png', bytes: 'logo', public: true }]
  const film = { id: PLAN, name: 'film.mp4', bytes: 'film', public: true, size: MOST_OF_PICTURES + 1 }
  const { store } = storeOf([film], { elsewhere: others })
  const { pictures } = await packPage({ name: 'Hall', scene: showing(PLAN, LOGO) }, store)
  expect(pictures).toEqual([
    { id: PLAN, name: 'film.mp4', type: 'image/png', sha256: 'hash of film', content: null },
    { id: LOGO, name: '0192f0c0.png', type: 'image/png', content: btoa('logo') },
  ])
})
