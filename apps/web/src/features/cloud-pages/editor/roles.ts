import {
  ExpressionError,
  parseExpression,
  type Scene,
  type SceneNode,
  type SceneRole,
  type Source,
} from '@thingwright/scene'

/** The role in front of the dot of an expression. */
const named = (key: string) => new RegExp(`(?<![\\p{L}\\p{N}_.])${key}(?=\\s*\\.)`, 'gu')
/** A line of the devices of a map begins with its role. */
const line = (key: string) => new RegExp(`^([^\\S\\n]*)${key}(?=[^\\S\\n]*(?:[:\\uff1a]|$))`, 'gmu')
const LINES = /^[^\S\n]*([\p{L}_][\p{L}\p{N}_]{0,31})[^\S\n]*(?=[:\uff1a]|$)/gmu

function roleOfNode(node: SceneNode, from: string, to: string): SceneNode {
  const swap = <T extends object>(value: T): T =>
    'role' in value && value.role === from ? { ...value, role: to } : value
  const source = (value: Source): Source =>
    value.from === 'expression' ? { ...value, text: value.text.replace(named(from), to) } : swap(value)
  const { role, devices } = node.props
  return {
    ...node,
    props: {
      ...node.props,
      ...(role === from ? { role: to } : {}),
      ...(node.kind === 'map' && typeof devices === 'string'
        ? { devices: devices.replace(line(from), `$1${to}`) }
        : {}),
    },
    bind: node.bind.map(each => ({ ...each, source: source(each.source) })),
    effects: node.effects.map(each => ({ ...each, source: source(each.source) })),
    events: node.events.map(swap),
  }
}

/** Elements that are bound to other roles: each key of the map is replaced wherever they name it. */
export function withRoleKeys(nodes: readonly SceneNode[], keys: ReadonlyMap<string, string>): SceneNode[] {
  // Each role first gets a temporary key, so that two roles can exchange theirs.
  const changes = [...keys].filter(([from, to]) => from !== to)
  const steps = [
    ...changes.map(([from], i) => [from, `_tmp_${i}_`] as const),
    ...changes.map(([, to], i) => [`_tmp_${i}_`, to] as const),
  ]
  return nodes.map(node => steps.reduce((now, [from, to]) => roleOfNode(now, from, to), node))
}

/** Renames a role wherever something is bound to it. */
export function renamedRole(scene: Scene, from: string, to: string): Scene {
  return {
    ...scene,
    roles: scene.roles.map(role => (role.key === from ? { ...role, key: to } : role)),
    nodes: withRoleKeys(scene.nodes, new Map([[from, to]])),
  }
}

/** Keys of the roles that an element is bound to. */
export function rolesOf(node: SceneNode): Set<string> {
  const found = new Set<string>()
  for (const source of [...node.bind, ...node.effects].map(each => each.source)) rolesOfSource(source, found)
  for (const { role } of node.events) if (role) found.add(role)
  if (typeof node.props.role === 'string' && node.props.role !== '') found.add(node.props.role)
  if (node.kind === 'map' && typeof node.props.devices === 'string')
    for (const [, key] of node.props.devices.matchAll(LINES)) found.add(key!)
  return found
}

function rolesOfSource(source: Source, found: Set<string>): void {
  if ('role' in source) found.add(source.role)
  if (source.from !== 'expression') return
  try {
    const visit = (each: object): void => {
      if ('op' in each && each.op === 'point' && 'role' in each) found.add(String(each.role))
      for (const inner of Object.values(each).flat()) if (inner !== null && typeof inner === 'object') visit(inner)
    }
    visit(parseExpression(source.text))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
  }
}

/** How many elements are bound to a role. */
export const usersOf = (scene: Scene, key: string): number => scene.nodes.filter(node => rolesOf(node).has(key)).length

/** The page without a role and without what is bound to it. */
export function withoutRole(scene: Scene, key: string): Scene {
  const uses = (source: Source) => {
    const found = new Set<string>()
    rolesOfSource(source, found)
    return found.has(key)
  }
  return {
    ...scene,
    roles: scene.roles.filter(role => role.key !== key),
    nodes: scene.nodes.map(node =>
      rolesOf(node).has(key)
        ? {
            ...node,
            props: {
              ...node.props,
              ...(node.props.role === key ? { role: '' } : {}),
              ...(node.kind === 'map' && typeof node.props.devices === 'string'
                ? {
                    devices: node.props.devices
                      .split('\n')
                      .filter(each => !line(key).test(each))
                      .join('\n'),
                  }
                : {}),
            },
            bind: node.bind.filter(({ source }) => !uses(source)),
            effects: node.effects.filter(({ source }) => !uses(source)),
            events: node.events.filter(({ role }) => role !== key),
          }
        : node,
    ),
  }
}

/** A key that no role has: the wanted one, or with a number. */
export function freeKey(roles: readonly Pick<SceneRole, 'key'>[], wanted: string): string {
  const taken = new Set(roles.map(({ key }) => key))
  if (!taken.has(wanted)) return wanted
  const stem = wanted.replace(/\d+$/, '').slice(0, 28) || 'device'
  for (let n = 2; ; n++) if (!taken.has(`${stem}${n}`)) return `${stem}${n}`
}
