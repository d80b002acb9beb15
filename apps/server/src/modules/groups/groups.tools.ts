import { type GroupKind, type GroupView, groupsContract } from '@thingwright/contracts/groups.contract'
import { Type } from 'typebox'
import { checkedText, linkTo, pages, said, strong, toolInput, withCommonTexts } from '../../lib/tools/thing-kit.ts'
import {
  defineTool,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { allGroups, groupLink, groupMention, pathOf } from './group.finder.ts'
import words from './groups.tools.json' with { type: 'json' }

const KINDS = ['device', 'product'] as const
type Kind = (typeof KINDS)[number]
const kindInput = Type.Optional(
  Type.Unsafe<Kind>({
    type: 'string',
    enum: [...KINDS],
    description: 'Groups of devices (when absent) or of products',
  }),
)
/** Lines of a tree in one answer. */
const LINES = 60

const listGroups = defineTool({
  name: 'list_groups',
  class: 'read',
  permission: 'group:read',
  description: 'The tree of groups of devices (or of products) with how many stand directly in each.',
  input: toolInput({ kind: kindInput }),
  words: withCommonTexts(words.list_groups),
  async run(t, { kind = 'device' }): Promise<ToolResult> {
    const { items } = await t.call(groupsContract.list, { query: { kind } })
    if (items.length === 0) return { text: t.say(`none_${kind}`), data: { groups: [] } }
    const depth = (group: GroupView): number => {
      const parent = items.find(({ id }) => id === group.parentId)
      return parent ? depth(parent) + 1 : 0
    }
    const lines = items.slice(0, LINES).map(group => {
      const name = linkTo(group.name, groupLink(group) ?? pages.devices())
      return `${'  '.repeat(depth(group))}- ${name} (${group.count})`
    })
    return {
      text: [
        t.say(`head_${kind}`, { count: items.length }),
        ...lines,
        ...(items.length > LINES ? [t.say('more', { n: items.length - LINES })] : []),
      ].join('\n'),
      data: items.slice(0, LINES).map(group => ({ id: group.id, path: pathOf(items, group), count: group.count })),
      mentions: items.length === 1 ? [groupMention(items[0]!)] : [],
    }
  },
})

async function treeOf(t: ToolContext, kind: GroupKind): Promise<GroupView[]> {
  return (await t.call(groupsContract.list, { query: { kind } })).items
}

/** The group that was named, with its tree. */
async function groupOf(t: ToolContext, text: string | undefined) {
  const { id } = await t.find('group', text)
  const trees = await allGroups(t.call)
  const tree = trees.find(each => each.some(group => group.id === id)) ?? []
  return { group: tree.find(group => group.id === id)!, tree }
}

const takenBy = (tree: readonly GroupView[], parentId: string | null, name: string) =>
  tree.some(group => group.parentId === parentId && group.name === name)

const createGroup = defineTool({
  name: 'create_group',
  class: 'write',
  permission: 'group:write',
  description: 'Adds a group of devices (or of products), at the top or below another group.',
  input: toolInput({
    name: said('Name of the group'),
    group: said('The group above it; none when absent'),
    kind: kindInput,
  }),
  words: withCommonTexts(words.create_group),
  async prepare(t, input) {
    const name = checkedText(t, t.say('name'), input.name)
    const above = input.group ? await groupOf(t, input.group) : null
    const kind = above?.group.kind ?? input.kind ?? 'device'
    const tree = above?.tree ?? (await treeOf(t, kind))
    const parentId = above?.group.id ?? null
    if (takenBy(tree, parentId, name)) throw new ToolProblem(t.say('taken', { name: strong(name) }))
    return {
      calls: [plannedCall(groupsContract.create, { body: { kind, name, ...(parentId ? { parentId } : {}) } })],
      effects: [
        above
          ? t.say('effectBelow', { name: strong(name), parent: strong(pathOf(tree, above.group)) })
          : t.say(`effect_${kind}`, { name: strong(name) }),
      ],
      changes: [{ field: t.say('group'), before: null, after: name }],
      ...(above ? { object: groupMention(above.group) } : {}),
    }
  },
  async finish(t, { results }) {
    const group = results[0] as GroupView
    return {
      result: {
        text: t.say('done', {
          name: strong(group.name),
          page: linkTo(t.say('openPage'), groupLink(group) ?? pages.devices()),
        }),
        data: { id: group.id, name: group.name, kind: group.kind },
        mentions: [groupMention(group)],
      },
      undo: [plannedCall(groupsContract.remove, { params: { id: group.id } })],
    }
  },
})

const renameGroup = defineTool({
  name: 'rename_group',
  class: 'write',
  permission: 'group:write',
  description: 'Gives a group another name. What stands in it stays.',
  input: toolInput({ group: said('Name or id of the group'), name: said('The new name') }),
  words: withCommonTexts(words.rename_group),
  async prepare(t, input) {
    const { group, tree } = await groupOf(t, input.group)
    const name = checkedText(t, t.say('name'), input.name)
    if (name === group.name) throw new ToolProblem(t.say('unchanged', { name: strong(group.name) }))
    if (takenBy(tree, group.parentId, name)) throw new ToolProblem(t.say('taken', { name: strong(name) }))
    return {
      calls: [plannedCall(groupsContract.update, { params: { id: group.id }, body: { version: group.version, name } })],
      effects: [t.say('effect', { before: strong(group.name), name: strong(name) })],
      changes: [{ field: t.say('name'), before: group.name, after: name }],
      object: groupMention(group),
      memo: { before: group.name },
    }
  },
  async finish(t, { memo, results }) {
    const group = results[0] as GroupView
    const { before } = memo as { before: string }
    return {
      result: {
        text: t.say('done', { before: strong(before), name: strong(group.name) }),
        data: { id: group.id, name: group.name },
        mentions: [groupMention(group)],
      },
      undo: [
        plannedCall(groupsContract.update, {
          params: { id: group.id },
          body: { version: group.version, name: before },
        }),
      ],
    }
  },
})

const deleteGroup = defineTool({
  name: 'delete_group',
  class: 'delete',
  permission: 'group:write',
  description: 'Removes an empty group. Cannot be taken back: roles that went by the group no longer do.',
  input: toolInput({ group: said('Name or id of the group') }),
  words: withCommonTexts(words.delete_group),
  async prepare(t, input) {
    const { group, tree } = await groupOf(t, input.group)
    const below = tree.filter(({ parentId }) => parentId === group.id)
    const mention = groupMention(group)
    if (group.count > 0 || below.length > 0)
      throw new ToolProblem(
        t.say('notEmpty', { name: strong(group.name), objects: group.count, groups: below.length }),
        mention.link ? { title: group.name, to: mention.link } : undefined,
      )
    return {
      calls: [plannedCall(groupsContract.remove, { params: { id: group.id } })],
      effects: [t.say('effect', { name: strong(pathOf(tree, group)) }), t.say('noWayBack')],
      changes: [{ field: t.say('group'), before: pathOf(tree, group), after: null }],
      object: mention,
      memo: { name: group.name },
    }
  },
  async finish(t, { memo }) {
    const { name } = memo as { name: string }
    return { result: { text: t.say('done', { name: strong(name) }), data: { deleted: quoted(name) } } }
  },
})

/** What can be asked and done about groups. */
export const groupsTools: readonly Tool[] = [listGroups, createGroup, renameGroup, deleteGroup]
