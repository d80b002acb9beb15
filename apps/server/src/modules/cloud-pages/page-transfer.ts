import { MAX_PAGES, RESERVED_SUFFIXES } from '@thingwright/contracts/cloud-pages.words'
import { coverOf, emptyScene, readScene, type Scene } from '@thingwright/scene'
import { cameraIdsIn, withCameras } from '@thingwright/scene/cameras'
import { materialIdsIn, withMaterials } from '@thingwright/scene/materials'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { sanitiseDrawing } from '../../lib/files/svg-drawing.ts'
import { isUuid, newId, randomKey } from '../../lib/ids.ts'
import { type NamedMaterial, namedMaterials, samePublicMaterial } from '../media/index.ts'
import { type NamedCamera, namedCameras, sameCamera } from '../video/index.ts'
import * as repo from './cloud-pages.repo.ts'
import { checkedScene, difference, storedScene, writes } from './page-document.ts'
import { holdMaterials } from './page-materials.ts'
import * as stored from './page-transfer.repo.ts'

/** A cloud page as it is in the file of a company; ids in it are the exporting company's. Passcode and PIN stay out. */
export interface PackedPage extends Pick<stored.StoredPage, 'id' | 'name' | 'suffix' | 'state' | 'visibility'> {
  control: stored.StoredPage['control']
  roleIds: string[]
  /** Its elements asked for a PIN, and PINs are not in the file. */
  hadPin: boolean
  /** The draft. */
  scene: unknown
  /** What visitors saw last; null: it was never published. */
  published: { scene: unknown; note: string } | null
  /** Devices that its documents name. */
  devices: { id: string; productId: string; deviceNo: string }[]
  /** Names of the products and roles that they name, by id. */
  names: Record<string, string>
  /** Materials that they show; absent in files of older versions. */
  materials?: NamedMaterial[]
  /** Cameras that they show; absent in files of older versions. */
  cameras?: NamedCamera[]
}

/** Where what a file names is in this company; undefined: it is not here. */
export interface PageHere {
  product(id: string): string | undefined
  device(productId: string, deviceNo: string): Promise<string | undefined>
  /** The material that was brought in as the one with this id in the file. */
  material(id: string): string | undefined
}

/** The page that a page of the file is here. */
export interface PagePlace {
  id: string
  suffix: string
  isNew: boolean
}

export interface BroughtPage {
  what: 'created' | 'replaced' | 'kept'
  id: string
  /** What it names and is not here: it was left unbound, and the page is not shown to visitors. */
  missing: string[]
  /** It asked for a passcode or PIN, and has none here. */
  isIncomplete: boolean
  /** It sends commands, and the person who imports it has no right to send any. */
  needsCommand: boolean
}

/** Cloud pages of a company to and from its file. */
export interface PageTransfer {
  /** Pages after this one, a few at a time; none: it was the last. */
  pack(scope: TenantScope, after: string | null): Promise<PackedPage[]>
  /** @throws AppError page.invalid: a document of the page cannot be read here */
  check(line: PackedPage): void
  /** The page that is here already; one of those that are taken is not. */
  find(scope: TenantScope, line: PackedPage, taken: readonly string[]): Promise<PagePlace | undefined>
  /**
   * Before any is brought in, as they name one another: the page that is here already, or else a new one with nothing on
   * it, at another address where the page's own is taken.
   * @throws AppError page.limit
   */
  place(scope: TenantScope, ctx: Ctx, line: PackedPage, taken: readonly string[]): Promise<PagePlace>
  bring(
    scope: TenantScope,
    ctx: Ctx,
    line: PackedPage,
    to: { here: PageHere; place: PagePlace; suffixes: ReadonlyMap<string, string>; existing: 'keep' | 'replace' },
  ): Promise<BroughtPage>
}

const LONGEST_SUFFIX = 32

export const pageTransfer: PageTransfer = {
  async pack(scope, after) {
    const pages = await stored.readPages(scope, after)
    const named = pages.map(({ scene, published, roleIds }) => namedOf([scene, published], roleIds))
    const all = (field: keyof Named) => [...new Set(named.flatMap(each => each[field]))].filter(isUuid)
    const devices = new Map((await stored.devicesOf(scope, all('devices'))).map(device => [device.id, device]))
    const names = await stored.namesOf(scope, all('named'))
    const materials = new Map((await namedMaterials(scope, all('materials'))).map(each => [each.id, each]))
    const cameras = new Map((await namedCameras(scope, all('cameras'))).map(each => [each.id, each]))
    return pages.map(({ published, note, hasPin, ...page }, i) => ({
      ...page,
      hadPin: hasPin,
      published: published === null ? null : { scene: published, note: note ?? '' },
      devices: named[i]!.devices.flatMap(id => devices.get(id) ?? []),
      names: Object.fromEntries(named[i]!.named.flatMap(id => (names.has(id) ? [[id, names.get(id)!]] : []))),
      materials: named[i]!.materials.flatMap(id => materials.get(id) ?? []),
      cameras: named[i]!.cameras.flatMap(id => cameras.get(id) ?? []),
    }))
  },

  check({ scene, published }) {
    checkedScene(scene)
    if (published) checkedScene(published.scene)
  },

  async find(scope, { suffix, name }, taken) {
    const found = await stored.findLike(scope, { suffix, name, stem: stemOf(suffix) }, taken)
    return found && { ...found, isNew: false }
  },

  async place(scope, ctx, line, taken) {
    const found = await pageTransfer.find(scope, line, taken)
    if (found) return found
    if ((await repo.count(scope)) >= MAX_PAGES) throw new AppError('page.limit', { params: { limit: MAX_PAGES } })
    const id = newId(ctx.now)
    await repo.insert(scope, {
      id,
      tenantId: scope.tenantId,
      name: line.name,
      suffix: line.suffix,
      ...sceneValues(emptyScene('canvas')),
      savedByName: actorName(ctx.actor),
      ownerId: ownerIdOf(ctx.actor),
      ownerName: actorName(ctx.actor),
    })
    const suffix = await freeSuffix(scope, line.suffix, id)
    if (suffix !== line.suffix) await repo.update(scope, id, { suffix })
    return { id, suffix, isNew: true }
  },

  async bring(scope, ctx, line, { here, place: { id, isNew }, suffixes, existing }) {
    const done = { id, missing: [], isIncomplete: false, needsCommand: false }
    if (!isNew && existing === 'keep') return { ...done, what: 'kept' }
    const before = await repo.find(scope, id, true)
    if (!before) throw new AppError('scope.outside')
    const move = await moverOf(scope, line, here, suffixes)
    const draft = move.scene(checkedScene(line.scene))
    const published = line.published && { ...line.published, scene: move.scene(checkedScene(line.published.scene)) }
    const roleIds = line.roleIds.flatMap(role => move.role(role) ?? [])
    const missing = [...move.missing]
    const isIncomplete =
      (line.visibility === 'passcode' && before.passcodeHash === null) ||
      (line.control !== 'none' && line.hadPin && before.pinHash === null)
    const needsCommand =
      published !== null &&
      line.control !== 'none' &&
      writes(published.scene) &&
      ctx.actor.kind !== 'system' &&
      !ctx.actor.permissions.has('device:command')
    const isHeld = missing.length > 0 || isIncomplete || needsCommand
    const shown = before.publishedNo === null ? undefined : await repo.version(scope, id, before.publishedNo)
    let no = before.publishedNo
    if (published && JSON.stringify(published.scene) !== JSON.stringify(shown ? storedScene(shown.scene) : null)) {
      no = (await repo.lastNo(scope, id)) + 1
      await repo.insertVersion(scope, {
        pageId: id,
        no,
        tenantId: scope.tenantId,
        ...published,
        nodes: published.scene.nodes.length,
        ...difference(shown ? storedScene(shown.scene) : null, published.scene),
        ownerId: ownerIdOf(ctx.actor),
        ownerName: actorName(ctx.actor),
      })
    }
    // What visitors of a page look at is not replaced by what would not be whole, nor is who may look at it.
    const goesOn = before.state === 'published' && isHeld
    const shownNo = goesOn ? before.publishedNo : no
    const seen = shownNo === null ? null : shownNo === no && published ? published.scene : storedScene(shown?.scene)
    await repo.update(scope, id, {
      name: line.name,
      ...sceneValues(draft),
      cover: draft.nodes.length > 0 ? sanitiseDrawing(coverOf(draft)) : null,
      savedByName: actorName(ctx.actor),
      changed: seen !== null && JSON.stringify(seen) !== JSON.stringify(draft),
      ...(goesOn ? {} : { visibility: line.visibility, control: line.control, roleIds, epoch: before.epoch + 1 }),
      ...(shownNo === null || goesOn
        ? {}
        : {
            state: line.state === 'published' && !isHeld ? 'published' : 'withdrawn',
            publishedNo: shownNo,
            ...(shownNo === before.publishedNo ? {} : { publishedAt: new Date(ctx.now) }),
          }),
    })
    await holdMaterials(scope, ctx, { id, name: line.name, ownerId: before.ownerId })
    scope.tell('pages.changed', { ids: [id] })
    return { id, what: isNew ? 'created' : 'replaced', missing, isIncomplete, needsCommand }
  },
}

/** The part of an address that another one made of it begins with. */
const stemOf = (suffix: string) => suffix.slice(0, LONGEST_SUFFIX - 4)

/** Takes the address for the page, or else one that begins like it. */
async function freeSuffix(scope: TenantScope, wanted: string, id: string): Promise<string> {
  const isReserved = (RESERVED_SUFFIXES as readonly string[]).includes(wanted)
  if (!isReserved && (await repo.takeAddress(scope, wanted, id))) return wanted
  for (let n = 2; ; n++) {
    const suffix = `${stemOf(wanted)}-${n < 10 ? n : randomKey(3).toLowerCase()}`
    if (await repo.takeAddress(scope, suffix, id)) return suffix
  }
}

const sceneValues = (scene: Scene) => ({
  scene,
  kind: scene.kind,
  width: Math.round(scene.width),
  height: Math.round(scene.height),
  nodes: scene.nodes.length,
})

interface Named {
  devices: string[]
  /** Products, and roles of people. */
  named: string[]
  materials: string[]
  cameras: string[]
}

function namedOf(documents: readonly unknown[], roleIds: readonly string[]): Named {
  // One that cannot be read goes into the file as it is, and names nothing.
  const scenes = documents.flatMap(document => readScene(document).scene ?? [])
  const roles = scenes.flatMap(scene => scene.roles)
  return {
    devices: [...new Set(roles.flatMap(({ deviceId, choices }) => [...(deviceId ? [deviceId] : []), ...choices]))],
    named: [
      ...roleIds,
      ...roles.flatMap(({ productId }) => productId ?? []),
      ...scenes.flatMap(({ nodes }) => nodes.flatMap(({ show, operate }) => [...show, ...operate])),
    ],
    materials: materialIdsIn(scenes),
    cameras: cameraIdsIn(scenes),
  }
}

/** Documents of a line with ids of this company. What is not here is named once. */
async function moverOf(
  scope: TenantScope,
  line: PackedPage,
  here: PageHere,
  suffixes: ReadonlyMap<string, string>,
): Promise<{ scene(scene: Scene): Scene; role(id: string): string | undefined; missing: ReadonlySet<string> }> {
  const missing = new Set<string>()
  const devices = new Map<string, { id: string | undefined; productId: string; deviceNo: string }>()
  for (const { id, productId, deviceNo } of line.devices)
    devices.set(id, { id: await here.device(productId, deviceNo), productId, deviceNo })
  const roles = await stored.rolesNamed(scope, Object.values(line.names))
  const role = (id: string) => {
    const name = line.names[id]
    const own = name === undefined ? undefined : roles.get(name)
    if (own === undefined) missing.add(name ?? id)
    return own
  }
  const device = (id: string, productId: string | null) => {
    const found = devices.get(id)
    const own = productId === null || found?.productId === productId ? found?.id : undefined
    if (own === undefined) missing.add(found?.deviceNo ?? id)
    return own
  }
  const product = (id: string) => {
    const own = here.product(id)
    if (own === undefined) missing.add(line.names[id] ?? id)
    return own
  }
  const materials = await materialsHere(scope, line, here)
  const material = (id: string) => {
    const own = materials.get(id)
    if (own === undefined) missing.add(line.materials?.find(each => each.id === id)?.name ?? id)
    return own
  }
  const cameras = await camerasHere(scope, line)
  const camera = (id: string) => {
    const own = cameras.get(id)
    if (own === undefined) missing.add(wordsOf(line.cameras?.find(each => each.id === id)) ?? id)
    return own
  }
  const address = (suffix: string) => suffixes.get(suffix) ?? suffix
  return {
    missing,
    role,
    scene: scene => ({
      ...scene,
      roles: scene.roles.map(({ productId, deviceId, choices, ...rest }) => ({
        ...rest,
        productId: (productId && product(productId)) ?? null,
        deviceId: (deviceId && device(deviceId, productId)) ?? null,
        choices: choices.flatMap(id => device(id, productId) ?? []),
      })),
      nodes: withCameras(withMaterials(scene, material), camera).nodes.map(node => ({
        ...node,
        props:
          typeof node.props.suffix === 'string' ? { ...node.props, suffix: address(node.props.suffix) } : node.props,
        events: node.events.map(event => (event.page === undefined ? event : { ...event, page: address(event.page) })),
        // An element without roles is shown to all visitors; it keeps the unknown id, so that it is shown to none.
        show: node.show.map(id => role(id) ?? id),
        operate: node.operate.map(id => role(id) ?? id),
      })),
    }),
  }
}

/**
 * Materials that the documents of a line show, by their ids in it: where the file comes from the same ones, elsewhere those
 * that came with the file or a public one that is the same. No other company's is ever among them.
 */
async function materialsHere(scope: TenantScope, line: PackedPage, here: PageHere): Promise<Map<string, string>> {
  const ids = materialIdsIn([line.scene, line.published?.scene])
  const found = new Map((await namedMaterials(scope, ids)).map(({ id }) => [id, id]))
  for (const id of ids) {
    if (found.has(id)) continue
    const named = line.materials?.find(each => each.id === id)
    const own = here.material(id) ?? (named && (await samePublicMaterial(scope, named)))
    if (own !== undefined) found.set(id, own)
  }
  return found
}

/**
 * Cameras that the documents of a line show, by their ids in it: where the file comes from the same ones, elsewhere those
 * that the vendor calls the same.
 */
async function camerasHere(scope: TenantScope, line: PackedPage): Promise<Map<string, string>> {
  const scenes = [line.scene, line.published?.scene].flatMap(document => readScene(document).scene ?? [])
  const ids = cameraIdsIn(scenes)
  const found = new Map((await namedCameras(scope, ids)).map(({ id }) => [id, id]))
  for (const id of ids) {
    const named = line.cameras?.find(each => each.id === id)
    const own = found.has(id) || !named ? undefined : await sameCamera(scope, named)
    if (own !== undefined) found.set(id, own)
  }
  return found
}

/** A camera as a person finds it: its name, and what is printed on it. */
function wordsOf(camera: NamedCamera | undefined): string | undefined {
  if (!camera) return undefined
  return camera.serial === null ? camera.name : `${camera.name} (${camera.serial}/${camera.channelNo})`
}
