import { type GroupKind, type GroupView, groupsContract } from '@thingwright/contracts/groups.contract'
import { pages, spokenForms } from '../../lib/tools/thing-kit.ts'
import { bestOf, same } from '../../lib/tools/tool-kit.ts'
import type { CallApi, EntityFinder, Mention } from '../../lib/tools/tools.ts'

/** Where the objects of a group are listed. */
export function groupLink({ id, kind }: Pick<GroupView, 'id' | 'kind'>): string | undefined {
  if (kind === 'device') return pages.devices({ groupId: id })
  return kind === 'product' ? pages.products({ groupId: id }) : undefined
}

export function groupMention(group: Pick<GroupView, 'id' | 'kind' | 'name'>): Mention {
  const link = groupLink(group)
  return { kind: 'group', id: group.id, name: group.name, ...(link ? { link } : {}) }
}

/** Names from the root down to the group: `一号厂 / 包装线`. */
export function pathOf(groups: readonly GroupView[], group: GroupView): string {
  const parent = groups.find(({ id }) => id === group.parentId)
  return parent ? `${pathOf(groups, parent)} / ${group.name}` : group.name
}

/** All groups of the kinds that people name, devices' first. */
export async function allGroups(call: CallApi, kinds: readonly GroupKind[] = ['device', 'product']) {
  const trees = await Promise.all(kinds.map(kind => call(groupsContract.list, { query: { kind } })))
  return trees.map(({ items }) => items)
}

export const groupFinder: EntityFinder = {
  kind: 'group',
  async find(call, text, limit) {
    const trees = await allGroups(call)
    const all = trees.flat()
    const mentions = (found: readonly GroupView[]) =>
      found.map(group => ({
        ...groupMention(group),
        ...(found.some(other => other !== group && other.name === group.name) ? { name: pathOf(all, group) } : {}),
      }))
    const known = all.find(({ id }) => id === text)
    if (known) return [groupMention(known)]
    if (text.trim() === '') return mentions(all.slice(0, limit))
    for (const form of spokenForms(text)) {
      // A group of devices is meant rather than one of products with the same name.
      for (const tree of trees) {
        const whole = tree.filter(group => same(group.name, form) || same(pathOf(tree, group), form))
        if (whole.length > 0) return mentions(whole.slice(0, limit))
      }
      const near = all.filter(({ name }) => name.toLowerCase().includes(form.toLowerCase()))
      if (near.length > 0) return mentions(bestOf(near, form, limit, group => [group.name]))
    }
    return []
  },
}
