import type { Scene } from '@thingwright/scene'

/** Without the elements that these roles may not see; without devices, save where the server itself goes on with it. */
export function seenBy(scene: Scene, held: ReadonlySet<string>, withDevices = false): Scene {
  const hidden = new Set(
    scene.nodes.filter(({ show }) => show.length > 0 && !show.some(id => held.has(id))).map(({ id }) => id),
  )
  // Elements of a hidden group are hidden too, in groups of groups as well.
  for (let before = -1; before !== hidden.size; ) {
    before = hidden.size
    for (const { id, group } of scene.nodes) if (group !== null && hidden.has(group)) hidden.add(id)
  }
  return {
    ...scene,
    roles: withDevices
      ? scene.roles
      : scene.roles.map(({ key, name }) => ({ key, name, productId: null, deviceId: null, choices: [] })),
    nodes: scene.nodes.filter(({ id }) => !hidden.has(id)),
  }
}

/** Of the roles that a visitor holds those that decide which elements he sees, in one order. */
export function decidingRoles(scene: Scene, held: ReadonlySet<string>): string[] {
  return [...new Set(scene.nodes.flatMap(({ show }) => show))].filter(id => held.has(id)).sort()
}
