import { identityContract } from '@thingwright/contracts/identity.contract'
import { type RoleView, rolesContract } from '@thingwright/contracts/roles.contract'
import { Type } from 'typebox'
import { listAt, listed, mention, nameIn, same } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type Mention,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import { rightName, rightsOf } from './right-words.ts'
import words from './roles.tools.json' with { type: 'json' }

const PAGE = '/manage/role'
const closed = { additionalProperties: false } as const
const Name = Type.String({ minLength: 1, maxLength: 64, description: 'Name of the role from now on' })
const Role = Type.Optional(Type.String({ maxLength: 64, description: 'Name of the role as it is' }))

const linked = (role: Pick<RoleView, 'id' | 'name'>): Mention =>
  mention('role', role.id, role.name, listAt(PAGE, role.name))

async function roleAsked(t: ToolContext, text: string | undefined): Promise<RoleView> {
  const found = await t.find('role', text)
  return t.call(rolesContract.get, { params: { id: found.id } })
}

async function refuseTakenName(t: ToolContext, name: string, but?: string): Promise<void> {
  const { items } = await t.call(rolesContract.list, { query: { limit: 100 } })
  if (items.some(role => role.id !== but && same(role.name, name)))
    throw new ToolProblem(t.say('taken', { name: quoted(name) }))
}

const createRole = defineTool({
  name: 'create_role',
  class: 'write',
  permission: 'role:write',
  description:
    'Adds a role as a copy of another one (built in or own); its rights can then be changed on the roles page.',
  input: Type.Object(
    { name: Name, role: Type.Optional(Type.String({ maxLength: 64, description: 'The role that is copied' })) },
    closed,
  ),
  words: words.create_role,
  async prepare(t, input) {
    const name = input.name.trim()
    const model = await roleAsked(t, input.role)
    await refuseTakenName(t, name)
    const me = await t.call(identityContract.me, {})
    const missing = [...rightsOf(model)].filter(right => !me.permissions.includes(right))
    if (missing.length > 0)
      throw new ToolProblem(
        t.say('beyondOwn', {
          role: quoted(nameIn(t, model)),
          rights: listed(
            t,
            missing.slice(0, 5).map(right => rightName(t.locale, right)),
          ),
        }),
      )
    return {
      calls: [plannedCall(rolesContract.copy, { params: { id: model.id }, body: { name } })],
      effects: [t.say('effect', { name: quoted(name), role: quoted(nameIn(t, model)) })],
      changes: [{ field: t.say('field'), before: null, after: name }],
      object: linked(model),
    }
  },
  async finish(t, { results }) {
    const role = results[0] as RoleView
    return {
      result: {
        text: t.say('done', { name: quoted(role.name) }),
        cards: [{ kind: 'links', title: role.name, items: [{ title: t.say('page'), to: listAt(PAGE, role.name) }] }],
        mentions: [linked(role)],
        data: { id: role.id, name: role.name },
      },
      undo: [plannedCall(rolesContract.remove, { params: { id: role.id } })],
    }
  },
})

const renameRole = defineTool({
  name: 'rename_role',
  class: 'write',
  permission: 'role:write',
  description: 'Renames a role of the company’s own.',
  input: Type.Object({ role: Role, name: Name }, closed),
  words: words.rename_role,
  async prepare(t, input) {
    const role = await roleAsked(t, input.role)
    const name = input.name.trim()
    if (role.builtin) throw new ToolProblem(t.say('builtin', { role: quoted(nameIn(t, role)) }))
    await refuseTakenName(t, name, role.id)
    return {
      calls: [plannedCall(rolesContract.update, { params: { id: role.id }, body: { version: role.version, name } })],
      effects: [t.say('effect', { before: quoted(role.name), name: quoted(name) })],
      changes: [{ field: t.say('field'), before: role.name, after: name }],
      object: linked(role),
      memo: { name: role.name },
    }
  },
  async finish(t, { results, memo }) {
    const role = results[0] as RoleView
    const { name } = memo as { name: string }
    return {
      result: {
        text: t.say('done', { name: quoted(role.name) }),
        mentions: [linked(role)],
        data: { id: role.id, name: role.name },
      },
      undo: [plannedCall(rolesContract.update, { params: { id: role.id }, body: { version: role.version, name } })],
    }
  },
})

const deleteRole = defineTool({
  name: 'delete_role',
  class: 'delete',
  permission: 'role:write',
  description: 'Deletes a role of the company’s own that nobody holds.',
  input: Type.Object({ role: Role }, closed),
  words: words.delete_role,
  async prepare(t, input) {
    const role = await roleAsked(t, input.role)
    if (role.builtin) throw new ToolProblem(t.say('builtin', { role: quoted(nameIn(t, role)) }))
    if (role.memberCount > 0) {
      const { items } = await t.call(rolesContract.members, { params: { id: role.id } })
      const names = listed(
        t,
        items.slice(0, 5).map(person => person.displayName || person.username),
      )
      throw new ToolProblem(
        t.say('inUse', { role: quoted(role.name), count: role.memberCount, names: quoted(names) }),
        {
          title: t.say('page'),
          to: listAt(PAGE, role.name),
        },
      )
    }
    return {
      calls: [plannedCall(rolesContract.remove, { params: { id: role.id } })],
      effects: [t.say('effect', { role: quoted(role.name), count: rightsOf(role).size })],
      changes: [{ field: t.say('field'), before: role.name, after: null }],
      object: linked(role),
      memo: { name: role.name },
    }
  },
  async finish(t, { memo }) {
    return { result: { text: t.say('done', { role: quoted((memo as { name: string }).name) }) } }
  },
})

export const roleChangeTools: readonly Tool[] = [createRole, renameRole, deleteRole]
