import { NOBODY, type Scene, type SceneRole } from '@thingwright/scene'
import { cameraIdsIn, withCameras } from '@thingwright/scene/cameras'

/** A device that a page names, as it is in its file. */
export interface FileDevice {
  id: string
  name: string
  deviceNo: string
  productKey: string
  productName: string
}

export interface FileCamera {
  id: string
  name: string
  /** Of the recorder, with the channel on it; null: it is an address. */
  serial: string | null
  channelNo: number | null
}

/** A role of people. */
export interface FileRole {
  id: string
  name: string
}

/** The devices, cameras and roles that a page names, with their numbers and names: another company does not know the ids. */
export interface FileBindings {
  devices: FileDevice[]
  cameras: FileCamera[]
  roles: FileRole[]
}

export interface OwnDevice extends FileDevice {
  productId: string
}

/** Devices, cameras and roles of people that the person sees. */
export interface BindingStore {
  device(id: string): Promise<OwnDevice | undefined>
  devicesNumbered(deviceNo: string): Promise<OwnDevice[]>
  camera(id: string): Promise<FileCamera | undefined>
  camerasOf(serial: string): Promise<FileCamera[]>
  roles(): Promise<FileRole[]>
}

/** Devices that are looked up; a page with more choices than that keeps the first. */
const MOST = 400
const AT_ONCE = 6

const deviceIdsIn = (scene: Scene) => [
  ...new Set(scene.roles.flatMap(({ deviceId, choices }) => [...(deviceId ? [deviceId] : []), ...choices])),
]
const roleIdsIn = (scene: Scene) =>
  [...new Set(scene.nodes.flatMap(({ show, operate }) => [...show, ...operate]))].filter(id => id !== NOBODY)

/** What stands in the file beside the page. */
export async function packBindings(scene: Scene, store: BindingStore): Promise<FileBindings> {
  const devices = await all(deviceIdsIn(scene).slice(0, MOST), id => store.device(id))
  const cameras = await all(cameraIdsIn([scene]), id => store.camera(id))
  const wanted = new Set(roleIdsIn(scene))
  return {
    devices: devices.map(({ id, name, deviceNo, productKey, productName }) => ({
      ...{ id, name, deviceNo, productKey, productName },
    })),
    cameras: cameras.map(({ id, name, serial, channelNo }) => ({ id, name, serial, channelNo })),
    roles:
      wanted.size === 0
        ? []
        : (await store.roles()).filter(({ id }) => wanted.has(id)).map(({ id, name }) => ({ id, name })),
  }
}

/** A role of the page, or a camera, for which the person chooses a device or camera of this company. */
export interface Unbound {
  /** Key of the role, or the camera's id in the file. */
  key: string
  /** The role's name, or the camera's. */
  name: string
  /** Its name in the file; '' when the file has none. */
  was: string
  /** The one of this company with the same name; null: none, or several. */
  suggested: string | null
}

/** What of the company that imports a page takes the place of what the page names. */
export interface Here {
  /** By their ids in the file. */
  devices: ReadonlyMap<string, OwnDevice>
  cameras: ReadonlyMap<string, string>
  roles: ReadonlyMap<string, string>
  /** Roles of the page whose device is of another company, or is gone. */
  unboundRoles: Unbound[]
  unboundCameras: Unbound[]
  /** Devices that visitors can choose and that are not here. */
  missingChoices: string[]
  /** Roles of people that are not here: what is for them alone is shown to nobody. */
  missingRoles: string[]
}

/** Looks up what a page names: first by its id, and where this company does not have that, by its number or name. */
export async function findBindings(scene: Scene, file: FileBindings, store: BindingStore): Promise<Here> {
  const known = new Map(file.devices.map(each => [each.id, each]))
  const devices = new Map<string, OwnDevice>()
  const same = new Set<string>()
  await all(deviceIdsIn(scene).slice(0, MOST), async id => {
    const own = await store.device(id)
    if (own) same.add(id)
    const found = own ?? (await likeIt(known.get(id), store))
    if (found) devices.set(id, found)
    return found
  })
  const cameras = new Map<string, string>()
  const unboundCameras: Unbound[] = []
  const named = new Map(file.cameras.map(each => [each.id, each]))
  await all(cameraIdsIn([scene]), async id => {
    if (await store.camera(id)) {
      cameras.set(id, id)
      return
    }
    const was = named.get(id)
    const like =
      was?.serial == null
        ? []
        : (await store.camerasOf(was.serial)).filter(
            each => each.serial === was.serial && each.channelNo === was.channelNo,
          )
    unboundCameras.push({
      key: id,
      name: was?.name || scene.nodes.find(node => node.props.channel === id)?.name || id.slice(0, 8),
      was: was?.serial == null ? '' : `${was.serial}/${was.channelNo ?? ''}`,
      suggested: like.length === 1 ? like[0]!.id : null,
    })
  })
  const wanted = roleIdsIn(scene)
  const own = wanted.length === 0 ? [] : await store.roles()
  const roles = new Map<string, string>()
  for (const id of wanted) {
    const name = file.roles.find(each => each.id === id)?.name
    const found = own.find(each => each.id === id) ?? own.find(each => each.name === name)
    if (found) roles.set(id, found.id)
  }
  return {
    ...{ devices, cameras, roles, unboundCameras },
    unboundRoles: scene.roles.flatMap(({ key, name, deviceId }) =>
      deviceId === null || same.has(deviceId)
        ? []
        : [{ key, name: name || key, was: wordsOf(known.get(deviceId)), suggested: devices.get(deviceId)?.id ?? null }],
    ),
    missingChoices: [...new Set(scene.roles.flatMap(({ choices }) => choices.filter(id => !devices.has(id))))].map(
      id => wordsOf(known.get(id)) || id.slice(0, 8),
    ),
    missingRoles: wanted
      .filter(id => !roles.has(id))
      .map(id => file.roles.find(each => each.id === id)?.name ?? id.slice(0, 8)),
  }
}

/** The device of the same product and number, or of a product with the same name; null when there are several. */
async function likeIt(was: FileDevice | undefined, store: BindingStore): Promise<OwnDevice | undefined> {
  if (!was) return undefined
  const numbered = (await store.devicesNumbered(was.deviceNo)).filter(({ deviceNo }) => deviceNo === was.deviceNo)
  const ofKey = numbered.filter(({ productKey }) => productKey === was.productKey)
  const like = ofKey.length > 0 ? ofKey : numbered.filter(({ productName }) => productName === was.productName)
  return like.length === 1 ? like[0] : undefined
}

const wordsOf = (device: FileDevice | undefined) => (device ? `${device.name} (${device.deviceNo})` : '')

/** What the person chose, by the key of each; null or absent: nothing. */
export interface Chosen {
  devices: ReadonlyMap<string, { id: string; productId: string | null } | null>
  cameras: ReadonlyMap<string, string | null>
}

/** The page with the devices, cameras and roles of this company. What is not here is left unbound; no other's id stays. */
export function rebound(scene: Scene, here: Here, chosen: Chosen): Scene {
  const unbound = new Set(here.unboundRoles.map(({ key }) => key))
  const bound = (role: SceneRole): SceneRole => {
    const found =
      role.deviceId !== null && unbound.has(role.key)
        ? chosen.devices.get(role.key)
        : here.devices.get(role.deviceId ?? '')
    const choices = role.choices.flatMap(id => here.devices.get(id) ?? [])
    const productId = (found ?? choices[0])?.productId ?? null
    return {
      ...role,
      productId,
      deviceId: found?.id ?? null,
      // All devices of a role are of one product.
      choices: [...new Set(choices.flatMap(each => (each.productId === productId ? [each.id] : [])))],
    }
  }
  const roles = (ids: readonly string[]) => [...new Set(ids.map(id => here.roles.get(id) ?? NOBODY))]
  const { nodes } = withCameras(scene, id => here.cameras.get(id) ?? chosen.cameras.get(id) ?? undefined)
  return {
    ...scene,
    roles: scene.roles.map(bound),
    nodes: nodes.map(node => ({ ...node, show: roles(node.show), operate: roles(node.operate) })),
  }
}

/** Reads all of them, a few at a time; those that do not exist are left out. */
async function all<K, V>(keys: readonly K[], ask: (key: K) => Promise<V | undefined>): Promise<V[]> {
  const found: V[] = []
  for (let at = 0; at < keys.length; at += AT_ONCE)
    for (const value of await Promise.all(keys.slice(at, at + AT_ONCE).map(ask)))
      if (value !== undefined) found.push(value)
  return found
}
