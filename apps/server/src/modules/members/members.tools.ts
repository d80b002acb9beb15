import { type MemberState, type MemberView, membersContract } from '@thingwright/contracts/members.contract'
import { rolesContract } from '@thingwright/contracts/roles.contract'
import { Type } from 'typebox'
import { isUuid } from '../../lib/ids.ts'
import { bestOf, listAt, listed, NOTHING, nameIn, showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type EntityFinder, quoted, type Tool, type ToolContext } from '../../lib/tools/tools.ts'
import { readRight, rightName, rightsOf, scopeName } from '../roles/index.ts'
import { memberChangeTools } from './member-changes.tools.ts'
import { memberName, mentionOf, ownedBy, PAGE } from './member-mention.ts'
import words from './members.tools.json' with { type: 'json' }

/** Members by name, user name, phone or mail address; those who left are found by their id alone. */
export const memberFinder: EntityFinder = {
  kind: 'member',
  async find(call, text, limit) {
    if (isUuid(text)) return [mentionOf(await call(membersContract.get, { params: { id: text } }))]
    const { items } = await call(membersContract.list, { query: { ...(text ? { q: text } : {}), limit: 50 } })
    const here = items.filter(member => member.state !== 'left')
    return bestOf(here, text, limit, member => [member.displayName, member.username, member.email, member.phone]).map(
      mentionOf,
    )
  },
}

const SHOWN = 20

function membersTable(t: ToolContext, items: readonly MemberView[], total: number, title: string, q: string) {
  const say = (key: string) => t.say(key)
  return {
    kind: 'table' as const,
    title,
    columns: [
      { key: 'name', title: say('colName') },
      { key: 'username', title: say('colUsername') },
      { key: 'roles', title: say('colRoles') },
      { key: 'state', title: say('colState') },
      { key: 'seen', title: say('colSeen') },
    ],
    rows: items.map(member => ({
      name: { text: memberName(member), to: mentionOf(member).link! },
      username: { text: member.username ?? NOTHING },
      roles: {
        text:
          listed(
            t,
            member.roles.map(role => nameIn(t, role)),
          ) || NOTHING,
      },
      state: { text: say(member.lockedUntil ? 'locked' : member.state) },
      seen: { text: showTime(t, member.lastSignInAt) },
    })),
    total,
    link: { title: say('page'), to: q ? listAt(PAGE, q) : PAGE },
  }
}

/** What a model is told of a member. */
const factsOf = (t: ToolContext, member: MemberView) => ({
  id: member.id,
  name: memberName(member),
  username: member.username,
  state: member.state,
  roles: member.roles.map(role => nameIn(t, role)),
  group: member.group?.name ?? null,
  isOwner: member.isOwner,
  lastSignInAt: member.lastSignInAt,
  lockedUntil: member.lockedUntil,
})

const listMembers = defineTool({
  name: 'list_members',
  class: 'read',
  permission: 'member:read',
  description:
    'Lists people of the company with their roles, state and last sign-in. Filters: text, state, role ("who has role X"), locked. Also answers how many there are.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name, user name, phone or mail address' })),
      state: Type.Optional(
        Type.Unsafe<MemberState>({
          type: 'string',
          enum: ['invited', 'active', 'frozen', 'left'],
          description: 'State',
        }),
      ),
      role: Type.Optional(Type.String({ maxLength: 64, description: 'Only holders of this role (its name)' })),
      locked: Type.Optional(Type.Boolean({ description: 'Only those whose sign-in is locked by wrong passwords' })),
    },
    { additionalProperties: false },
  ),
  words: words.list_members,
  async run(t, { q, state, role, locked }) {
    const held = role ? await t.find('role', role) : null
    const { items, total = 0 } = await t.call(membersContract.list, {
      query: {
        ...(q ? { q } : {}),
        ...(state ? { state } : {}),
        ...(held ? { roleId: held.id } : {}),
        ...(locked ? { locked: '1' } : {}),
        sort: 'name',
        limit: SHOWN,
        total: '1',
      },
    })
    const about = held ? t.say('ofRole', { role: quoted(held.name) }) : ''
    if (items.length === 0) return { text: t.say('none', { about }), data: { total: 0, items: [] } }
    const key = state ? `count_${state}` : locked ? 'count_locked' : 'count'
    const mentions = [...(items.length === 1 ? [mentionOf(items[0]!)] : []), ...(held ? [held] : [])]
    return {
      text: t.say(key, { count: total, about }),
      cards: [
        membersTable(t, items, total, held ? t.say('titleOfRole', { role: held.name }) : t.say('title'), q ?? ''),
      ],
      data: { total, items: items.map(member => factsOf(t, member)) },
      mentions,
    }
  },
})

const memberInfo = defineTool({
  name: 'member_info',
  class: 'read',
  permission: 'member:read',
  description: 'One member: state, roles, group, last sign-in, lock, and how much he owns (devices, products, keys …).',
  input: Type.Object(
    {
      member: Type.Optional(Type.String({ maxLength: 128, description: 'Name, user name, phone, mail address or id' })),
    },
    { additionalProperties: false },
  ),
  words: words.member_info,
  async run(t, input) {
    const found = await t.find('member', input.member)
    const member = await t.call(membersContract.get, { params: { id: found.id } })
    const owned = await ownedBy(t.call, member)
    const roles = listed(
      t,
      member.roles.map(role => nameIn(t, role)),
    )
    const lines = [
      t.say('head', { name: quoted(memberName(member)), username: quoted(member.username ?? NOTHING) }),
      t.say('state', { state: t.say(`state_${member.state}`) }),
      t.say('roles', { roles: quoted(roles || NOTHING) }),
      ...(member.group ? [t.say('group', { group: quoted(member.group.name) })] : []),
      t.say('seen', { at: showTime(t, member.lastSignInAt) }),
      ...(member.lockedUntil ? [t.say('locked', { at: showTime(t, member.lockedUntil) })] : []),
      ...(member.invitation
        ? [
            t.say(member.invitation.expired ? 'invitationOver' : 'invitation', {
              at: showTime(t, member.invitation.sentAt),
              until: showTime(t, member.invitation.expiresAt),
            }),
          ]
        : []),
      ...(owned.length > 0
        ? [
            t.say('owns', {
              what: listed(
                t,
                owned.map(({ kind, count }) => t.say(`owned_${kind}`, { count })),
              ),
            }),
          ]
        : []),
    ]
    return {
      text: lines.join('\n'),
      cards: [
        { kind: 'links', title: memberName(member), items: [{ title: t.say('page'), to: mentionOf(member).link! }] },
      ],
      data: { ...factsOf(t, member), owned },
      mentions: [mentionOf(member)],
    }
  },
})

const memberRights = defineTool({
  name: 'member_rights',
  class: 'read',
  permission: 'role:read',
  description:
    'What a member may do: the rights of all his roles together and the data he sees. With `right` (for example device:delete, or words such as "delete devices") it says whether he may, and which of his roles gives it or that none does.',
  input: Type.Object(
    {
      member: Type.Optional(Type.String({ maxLength: 128, description: 'Name, user name or id' })),
      right: Type.Optional(
        Type.String({ maxLength: 64, description: 'A right as resource:action, or what he wants to do' }),
      ),
    },
    { additionalProperties: false },
  ),
  words: words.member_rights,
  async run(t, input) {
    const found = await t.find('member', input.member)
    const member = await t.call(membersContract.get, { params: { id: found.id } })
    const roles = await Promise.all(member.roles.map(role => t.call(rolesContract.get, { params: { id: role.id } })))
    const name = quoted(memberName(member))
    const mentions = [mentionOf(member)]
    const link = {
      kind: 'links' as const,
      title: t.say('rolesPage'),
      items: [{ title: t.say('rolesPage'), to: '/manage/role' }],
    }
    if (roles.length === 0) return { text: t.say('noRole', { name }), data: { roles: [] }, mentions, cards: [link] }
    if (input.right) {
      const right = readRight(input.right)
      if (!right)
        return { text: t.say('whichRight', { right: quoted(input.right) }), data: { unknown: input.right }, mentions }
      const giving = roles.filter(role => rightsOf(role).has(right))
      const data = { member: memberName(member), right, allowed: giving.length > 0, state: member.state }
      const told = { name, right: rightName(t.locale, right), code: right }
      const held = quoted(
        listed(
          t,
          roles.map(role => nameIn(t, role)),
        ),
      )
      const frozen =
        member.state === 'active' ? '' : `\n${t.say('notActive', { state: t.say(`state_${member.state}`) })}`
      const text =
        giving.length > 0
          ? t.say('may', {
              ...told,
              roles: quoted(
                listed(
                  t,
                  giving.map(role => nameIn(t, role)),
                ),
              ),
            })
          : t.say('mayNot', { ...told, roles: held })
      return {
        text: text + frozen,
        data: { ...data, roles: roles.map(role => nameIn(t, role)) },
        mentions,
        cards: [link],
      }
    }
    const rights = new Set(roles.flatMap(role => [...rightsOf(role)]))
    return {
      text: [
        t.say('head', {
          name,
          roles: quoted(
            listed(
              t,
              roles.map(role => nameIn(t, role)),
            ),
          ),
        }),
        t.say('scope', { scope: listed(t, [...new Set(roles.map(role => scopeName(t.locale, role.dataScope)))]) }),
        t.say('rights', {
          count: rights.size,
          rights: listed(
            t,
            [...rights].map(right => rightName(t.locale, right)),
          ),
        }),
      ].join('\n'),
      data: { member: memberName(member), roles: roles.map(role => nameIn(t, role)), rights: [...rights] },
      mentions,
      cards: [link],
    }
  },
})

export const membersTools: readonly Tool[] = [listMembers, memberInfo, memberRights, ...memberChangeTools]
