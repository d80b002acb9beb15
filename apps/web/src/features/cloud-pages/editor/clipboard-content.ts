import { emptyScene, NOBODY, readScene, type Scene, type SceneNode, type SceneRole } from '@thingwright/scene'
import { withCameras } from '@thingwright/scene/cameras'
import { withMaterials } from '@thingwright/scene/materials'
import { copiesOf, withInner } from './document.ts'
import { freeKey, rolesOf, withRoleKeys } from './roles.ts'

const MARK = 'thingwright-elements'

/** Elements as they lie in the clipboard, with the roles and hosts that they need on another page. */
interface Content {
  [MARK]: SceneNode[]
  roles: SceneRole[]
  hosts: string[]
  /** Ids in it mean nothing to another company. */
  company: string
}

/** The chosen elements with what is in them, as a text. */
export function copied(scene: Scene, selected: ReadonlySet<string>, company: string): string {
  const all = withInner(scene, selected)
  const nodes = scene.nodes.filter(({ id }) => all.has(id))
  const used = new Set(nodes.flatMap(node => [...rolesOf(node)]))
  const content: Content = {
    [MARK]: nodes,
    roles: scene.roles.filter(({ key }) => used.has(key)),
    hosts: scene.hosts,
    company,
  }
  return JSON.stringify(content)
}

/**
 * The page with the elements of a text; null: the text holds none. A role that the page has not comes along; one with
 * the same device is the page's own, whatever it is called there.
 */
export function pasted(scene: Scene, text: string, company: string): { scene: Scene; ids: Set<string> } | null {
  let content: Partial<Content>
  try {
    content = JSON.parse(text) as Partial<Content>
  } catch {
    return null
  }
  if (!Array.isArray(content?.[MARK])) return null
  const inside = new Set(content[MARK].map(node => node?.id))
  const { scene: read } = readScene({
    ...emptyScene('canvas'),
    roles: content.roles ?? [],
    hosts: content.hosts ?? [],
    nodes: content[MARK].map(node => (inside.has(node?.group ?? '') ? node : { ...node, group: null })),
  })
  if (!read) return null
  const here = content.company === company ? read : ofOtherCompany(read)
  const keys = new Map<string, string>()
  const roles = [...scene.roles]
  for (const role of here.roles) {
    const own = ownRole(scene.roles, role)
    keys.set(role.key, own?.key ?? freeKey(roles, role.key))
    if (!own) roles.push({ ...role, key: keys.get(role.key)! })
  }
  const hosts = [...new Set([...scene.hosts, ...hostsOf(here)])]
  return copiesOf({ ...scene, roles, hosts }, withRoleKeys(here.nodes, keys), 20, 20)
}

/** The role of the page that takes the place of one that was copied. */
function ownRole(own: readonly SceneRole[], role: SceneRole): SceneRole | undefined {
  const sameKey = own.find(({ key }) => key === role.key)
  if (sameKey && (sameKey.deviceId === role.deviceId || role.deviceId === null)) return sameKey
  const sameDevice = role.deviceId === null ? undefined : own.find(({ deviceId }) => deviceId === role.deviceId)
  // A page of the same kind of device, as a template has it: the device of this page.
  return (
    sameDevice ?? (sameKey && role.productId !== null && sameKey.productId === role.productId ? sameKey : undefined)
  )
}

function ofOtherCompany(scene: Scene): Scene {
  const bare = withCameras(
    withMaterials(scene, () => undefined),
    () => undefined,
  )
  return {
    ...bare,
    roles: bare.roles.map(role => ({ ...role, productId: null, deviceId: null, choices: [] })),
    nodes: bare.nodes.map(node => ({
      ...node,
      // Without roles it would be for everybody.
      show: node.show.length > 0 ? [NOBODY] : [],
      operate: node.operate.length > 0 ? [NOBODY] : [],
    })),
  }
}

/** Hosts that the elements need, of those that their page allowed. */
function hostsOf({ hosts, nodes }: Scene): string[] {
  const used = new Set(
    nodes.flatMap(({ props }) =>
      [props.src, props.url].flatMap(value => {
        try {
          return typeof value === 'string' && !value.startsWith('/') ? [new URL(value).host] : []
        } catch {
          return []
        }
      }),
    ),
  )
  return hosts.filter(host => used.has(host))
}
