import { devicesContract } from '@thingwright/contracts/devices.contract'
import { identityContract } from '@thingwright/contracts/identity.contract'
import { type RoleView, rolesContract } from '@thingwright/contracts/roles.contract'
import { Type } from 'typebox'
import { isUuid } from '../../lib/ids.ts'
import { bestOf, listAt, listed, mention, nameIn, same } from '../../lib/tools/tool-kit.ts'
import { defineTool, type EntityFinder, type Mention, quoted, type Tool } from '../../lib/tools/tools.ts'
import { actionName, readRight, resourceName, rightName, rightsOf, scopeName } from './right-words.ts'
import { roleChangeTools } from './role-changes.tools.ts'
import words from './roles.tools.json' with { type: 'json' }

const PAGE = '/manage/role'
const closed = { additionalProperties: false } as const
const Role = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

const roleMention = (role: RoleView, name = role.name): Mention =>
  mention('role', role.id, name, listAt(PAGE, role.name))

/** Roles by their name in either language, or their key (`operations`). */
export const roleFinder: EntityFinder = {
  kind: 'role',
  async find(call, text, limit) {
    if (isUuid(text)) return [roleMention(await call(rolesContract.get, { params: { id: text } }))]
    // Few, and a name in the other language is looked for as well: all of them are read.
    const { items } = await call(rolesContract.list, { query: { limit: 100 } })
    const bare = text.replace(/(\u89d2\u8272|\s+role)$/iu, '').trim() || text
    const latin = /^[\x20-\x7e]+$/.test(bare)
    const needle = bare.normalize('NFKC').toLowerCase()
    const partly = items.filter(role =>
      [role.name, role.ename, role.key].some(name => name.toLowerCase().includes(needle)),
    )
    // A copy keeps the English name of what it was made of: its own name and the key come first.
    const surely = bestOf(partly, bare, limit, role => [role.name, role.key])
    const isWhole = surely.some(role => [role.name, role.key].some(name => same(name, bare)))
    const found = isWhole ? surely : bestOf(partly, bare, limit, role => [role.ename])
    return found.map(role => roleMention(role, latin && role.ename ? role.ename : role.name))
  },
}

const listRoles = defineTool({
  name: 'list_roles',
  class: 'read',
  permission: 'role:read',
  description:
    'Lists the roles of the company: built in or own, number of rights, data scope, how many members hold each.',
  input: Type.Object({}, closed),
  words: words.list_roles,
  async run(t) {
    const { items, total = 0 } = await t.call(rolesContract.list, { query: { limit: 50, total: '1' } })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    const builtin = items.filter(role => role.builtin).length
    return {
      text: t.say('count', { count: total, builtin }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'kind', title: t.say('colKind') },
            { key: 'rights', title: t.say('colRights'), numeric: true },
            { key: 'scope', title: t.say('colScope') },
            { key: 'members', title: t.say('colMembers'), numeric: true },
          ],
          rows: items.map(role => ({
            name: { text: nameIn(t, role), to: listAt(PAGE, role.name) },
            kind: { text: t.say(role.builtin ? 'builtin' : 'own') },
            rights: { text: role.permissions.includes('*') ? t.say('all') : String(role.permissions.length) },
            scope: { text: scopeName(t.locale, role.dataScope) },
            members: { text: String(role.memberCount) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.map(role => ({
          id: role.id,
          name: nameIn(t, role),
          key: role.key,
          builtin: role.builtin,
          members: role.memberCount,
          dataScope: role.dataScope.kind,
          rights: role.permissions.length,
        })),
      },
    }
  },
})

const roleInfo = defineTool({
  name: 'role_info',
  class: 'read',
  permission: 'role:read',
  description: 'One role: its rights, data scope, whether it asks for a second step, and who holds it.',
  input: Type.Object({ role: Role('Name of the role') }, closed),
  words: words.role_info,
  async run(t, input) {
    const found = await t.find('role', input.role)
    const role = await t.call(rolesContract.get, { params: { id: found.id } })
    const { items: holders } = await t.call(rolesContract.members, { params: { id: role.id } })
    const rights = [...rightsOf(role)]
    const names = holders.slice(0, 10).map(person => person.displayName || person.username)
    const lines = [
      t.say('head', {
        name: quoted(nameIn(t, role)),
        kind: t.say(role.builtin ? 'builtin' : 'own'),
        count: role.memberCount,
      }),
      ...(role.description ? [t.say('description', { text: quoted(role.description) })] : []),
      t.say('scope', { scope: scopeName(t.locale, role.dataScope) }),
      t.say('rights', {
        count: rights.length,
        rights: listed(
          t,
          rights.map(right => rightName(t.locale, right)),
        ),
      }),
      ...(role.requireSecondFactor ? [t.say('second')] : []),
      names.length > 0
        ? t.say('members', { names: quoted(listed(t, names)) + (holders.length > names.length ? ' …' : '') })
        : t.say('noMembers'),
    ]
    return {
      text: lines.join('\n'),
      cards: [
        { kind: 'links', title: nameIn(t, role), items: [{ title: t.say('page'), to: listAt(PAGE, role.name) }] },
      ],
      data: {
        id: role.id,
        name: nameIn(t, role),
        builtin: role.builtin,
        rights,
        dataScope: role.dataScope.kind,
        holders: names,
        members: role.memberCount,
      },
      mentions: [roleMention(role, nameIn(t, role))],
    }
  },
})

const myRights = defineTool({
  name: 'my_rights',
  class: 'read',
  permission: 'signed-in',
  description: 'The rights and roles of the person who asks, by area.',
  input: Type.Object({}, closed),
  words: words.my_rights,
  async run(t) {
    const me = await t.call(identityContract.me, {})
    const roles = me.roles.map(role => nameIn(t, role))
    const areas = new Map<string, string[]>()
    for (const right of me.permissions) {
      const [resource = '', action = ''] = right.split(':')
      areas.set(resource, [...(areas.get(resource) ?? []), action])
    }
    const lines = [
      t.say('head', { name: quoted(me.displayName || me.username), roles: quoted(listed(t, roles) || '—') }),
      '',
      me.permissions.length === 0
        ? t.say('noRole')
        : [
            t.say('rights', { count: me.permissions.length }),
            '',
            ...[...areas].map(([resource, actions]) =>
              t.say('line', {
                resource: resourceName(t.locale, resource),
                actions: listed(
                  t,
                  actions.map(action => actionName(t.locale, action)),
                ),
              }),
            ),
            '',
            t.say('scopeHint'),
          ].join('\n'),
    ]
    const may = (right: string) => me.permissions.includes(right)
    return {
      text: lines.join('\n'),
      cards: [
        {
          kind: 'links',
          title: t.say('links'),
          items: [
            ...(may('role:read') ? [{ title: t.say('page'), to: PAGE }] : []),
            { title: t.say('security'), to: '/admin/security' },
          ],
        },
      ],
      data: { username: me.username, roles, rights: me.permissions },
    }
  },
})

const explainRefusal = defineTool({
  name: 'explain_refusal',
  class: 'read',
  permission: 'signed-in',
  description:
    'Why the person who asks may or may not do something, or cannot see a device: which right is missing or which data scope hides it, and who can grant it. `right` is resource:action or words ("delete devices").',
  input: Type.Object(
    {
      right: Type.Optional(
        Type.String({ maxLength: 64, description: 'A right as resource:action, or what one wants to do' }),
      ),
      device: Type.Optional(
        Type.String({ maxLength: 64, description: 'Name, number or id of a device that is not seen' }),
      ),
    },
    closed,
  ),
  words: words.explain_refusal,
  async run(t, input) {
    const right = input.right ? readRight(input.right) : null
    if (input.right && !right)
      return { text: t.say('whichRight', { right: quoted(input.right) }), data: { unknown: input.right } }
    if (!right && !input.device) return { text: t.say('whichRight', { right: '' }), data: { unknown: '' } }
    const objectId = input.device ? await deviceId(t.call, input.device) : null
    if (input.device && !objectId) return { text: t.say('not_found'), data: { allowed: false, reason: 'not_found' } }
    const why = await t.call(rolesContract.explain, {
      query: {
        ...(right ? { permission: right } : {}),
        ...(objectId ? { objectType: 'device' as const, objectId } : {}),
      },
    })
    const code = why.permission ?? ''
    const told = { right: rightName(t.locale, code), code }
    const named = (roles: typeof why.roles) =>
      quoted(
        listed(
          t,
          roles.map(role => nameIn(t, role)),
        ),
      )
    const lines =
      why.reason === 'allowed'
        ? [
            objectId
              ? t.say('seen', { device: quoted(input.device!) })
              : t.say('allowed', { ...told, roles: named(why.roles.filter(role => role.grants)) }),
          ]
        : [t.say(why.reason, { ...told, roles: named(why.roles) })]
    if (why.reason === 'outside_scope')
      lines.push(
        ...why.roles.map(role =>
          t.say('scopeLine', { role: quoted(nameIn(t, role)), scope: scopeName(t.locale, role.dataScope) }),
        ),
      )
    if (['permission_missing', 'outside_scope', 'no_roles'].includes(why.reason)) {
      const people = why.canGrant.map(person =>
        t.say('person', { name: person.displayName || person.username, roles: listed(t, person.roles) }),
      )
      lines.push(
        '',
        people.length > 0 ? t.say('ask', { people: quoted(listed(t, people.slice(0, 5))) }) : t.say('nobody'),
      )
    }
    return {
      text: lines.join('\n'),
      data: {
        allowed: why.allowed,
        reason: why.reason,
        right: why.permission,
        canGrant: why.canGrant.map(person => person.displayName || person.username),
      },
    }
  },
})

/** A device by its id, number or name; null: not among those the caller sees. */
async function deviceId(call: Parameters<EntityFinder['find']>[0], text: string): Promise<string | null> {
  if (isUuid(text)) return text
  const { items } = await call(devicesContract.list, { query: { q: text, limit: 5 } })
  return bestOf(items, text, 1, device => [device.deviceNo, device.name])[0]?.id ?? null
}

const compareRoles = defineTool({
  name: 'compare_roles',
  class: 'read',
  permission: 'role:read',
  description: 'Compares two roles: which rights only one of them has, and their data scopes.',
  input: Type.Object(
    {
      left: Type.String({ minLength: 1, maxLength: 64, description: 'Name of the first role' }),
      right: Type.String({ minLength: 1, maxLength: 64, description: 'Name of the second role' }),
    },
    closed,
  ),
  words: words.compare_roles,
  async run(t, input) {
    const [one, other] = [await t.find('role', input.left), await t.find('role', input.right)]
    const diff = await t.call(rolesContract.diff, { query: { left: one.id, right: other.id } })
    const [left, right] = [nameIn(t, diff.left), nameIn(t, diff.right)]
    const { onlyLeft, onlyRight, both } = diff.permissions
    const sentence = (role: string, rights: readonly string[]) =>
      rights.length === 0
        ? []
        : [
            t.say('onlyLeft', {
              role: quoted(role),
              rights: listed(
                t,
                rights.map(word => rightName(t.locale, word)),
              ),
            }),
          ]
    const differing = [...onlyLeft, ...onlyRight]
    return {
      text: [
        differing.length === 0
          ? t.say('same')
          : t.say('head', { left: quoted(left), right: quoted(right), both: both.length }),
        ...sentence(left, onlyLeft),
        ...sentence(right, onlyRight),
        t.say('scopes', {
          left: scopeName(t.locale, diff.left.dataScope),
          right: scopeName(t.locale, diff.right.dataScope),
        }),
      ].join('\n'),
      cards:
        differing.length === 0
          ? []
          : [
              {
                kind: 'table',
                title: t.say('title', { left, right }),
                columns: [
                  { key: 'right', title: t.say('colRight') },
                  { key: 'left', title: left },
                  { key: 'other', title: right },
                ],
                rows: differing.map(word => ({
                  right: { text: rightName(t.locale, word) },
                  left: { text: t.say(onlyLeft.includes(word) ? 'yes' : 'no') },
                  other: { text: t.say(onlyRight.includes(word) ? 'yes' : 'no') },
                })),
              },
            ],
      data: { left, right, onlyLeft, onlyRight, both: both.length, sameDataScope: diff.sameDataScope },
      mentions: [roleMention(diff.left, left), roleMention(diff.right, right)],
    }
  },
})

export const rolesTools: readonly Tool[] = [
  listRoles,
  roleInfo,
  myRights,
  explainRefusal,
  compareRoles,
  ...roleChangeTools,
]
