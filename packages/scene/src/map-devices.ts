import type { Scene, SceneNode } from './scene.ts'

/** A device on a map: the role that it plays, and the values that its popup shows. */
export interface MapDevice {
  role: string
  values: { point: string; label: string }[]
}

/** Values of one popup. */
const MOST_VALUES = 3

/**
 * The devices of a map element. Its property `devices` names them one a line, `role: point, Label = point`; when it is
 * empty, they are those of all roles of the page, without values. Lines of roles that the page does not have are left out.
 */
export function mapDevices(scene: Pick<Scene, 'roles'>, node: Pick<SceneNode, 'props'>): MapDevice[] {
  const known = new Set(scene.roles.map(({ key }) => key))
  const lines = String(node.props.devices ?? '')
    .split('\n')
    .filter(line => line.trim() !== '')
  if (lines.length === 0) return scene.roles.map(({ key }) => ({ role: key, values: [] }))
  const found = new Map<string, MapDevice>()
  for (const line of lines) {
    const [role = '', rest = ''] = line.split(/[:：]/, 2).map(part => part.trim())
    if (!known.has(role) || found.has(role)) continue
    const values = rest
      .split(/[,，]/)
      .map(part => part.split('=', 2).map(side => side.trim()))
      .map(([label = '', point = label]) => ({ point, label }))
      .filter(({ point }) => point !== '')
      .slice(0, MOST_VALUES)
    found.set(role, { role, values })
  }
  return [...found.values()]
}

/** A place as a page gets it, `longitude,latitude` in degrees of WGS 84; null: the device has none. */
export function placeOf(value: unknown): { lng: number; lat: number } | null {
  if (typeof value !== 'string') return null
  const [lng = Number.NaN, lat = Number.NaN] = value.split(',').map(Number)
  return Number.isFinite(lng) && Number.isFinite(lat) ? { lng, lat } : null
}
