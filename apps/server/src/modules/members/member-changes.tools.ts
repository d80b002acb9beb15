import { identityContract } from '@thingwright/contracts/identity.contract'
import { type MemberView, membersContract } from '@thingwright/contracts/members.contract'
import { rolesContract } from '@thingwright/contracts/roles.contract'
import { Type } from 'typebox'
import { bestOf, listAt, listed, NOTHING, nameIn } from '../../lib/tools/tool-kit.ts'
import {
  type ChangeTool,
  defineTool,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import { rightName, rightsOf } from '../roles/index.ts'
import { memberName, mentionOf, ownedBy, PAGE } from './member-mention.ts'
import words from './members.tools.json' with { type: 'json' }

const Member = Type.Optional(Type.String({ maxLength: 128, description: 'Name, user name, phone, mail address or id' }))
const closed = { additionalProperties: false } as const

interface RoleRef {
  id: string
  name: string
}

/** Roles by their names, written in one text: "Operations and Finance". */
async function rolesNamed(t: ToolContext, text: string | undefined): Promise<RoleRef[]> {
  const names = (text ?? '')
    .split(/[,;\uff0c\u3001\uff1b]|\s+and\s+|\u548c/i)
    .map(name => name.trim())
    .filter(Boolean)
  if (names.length < 2) return [await t.find('role', text)]
  return Promise.all(names.map(name => t.find('role', name)))
}

/** Refuses roles with rights that the caller does not have, before anything is prepared. */
async function refuseBeyondOwn(t: ToolContext, roles: readonly RoleRef[]): Promise<void> {
  const me = await t.call(identityContract.me, {})
  for (const { id } of roles) {
    const role = await t.call(rolesContract.get, { params: { id } })
    const missing = [...rightsOf(role)].filter(right => !me.permissions.includes(right))
    if (missing.length === 0) continue
    const rights = listed(
      t,
      missing.slice(0, 5).map(right => rightName(t.locale, right)),
    )
    throw new ToolProblem(t.say('beyondOwn', { role: quoted(nameIn(t, role)), rights }))
  }
}

async function memberAsked(t: ToolContext, text: string | undefined): Promise<MemberView> {
  const found = await t.find('member', text)
  return t.call(membersContract.get, { params: { id: found.id } })
}

const namesOf = (t: ToolContext, roles: readonly { name: string; ename: string }[]) =>
  listed(
    t,
    roles.map(role => nameIn(t, role)),
  ) || NOTHING

const inviteMember = defineTool({
  name: 'invite_member',
  class: 'write',
  permission: 'member:write',
  description: 'Invites somebody into the company by mail or SMS with one or more roles. The link is good for 7 days.',
  input: Type.Object(
    {
      address: Type.String({ minLength: 3, maxLength: 254, description: 'Mail address or mobile number' }),
      role: Type.Optional(
        Type.String({ maxLength: 200, description: 'Name of the role; several separated by commas' }),
      ),
      display_name: Type.Optional(Type.String({ maxLength: 64, description: 'What the person is called' })),
    },
    closed,
  ),
  words: words.invite_member,
  async prepare(t, input) {
    const address = input.address.trim()
    const isMail = /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(address)
    if (!isMail && !/^\+?[0-9][0-9 ()-]{5,24}$/.test(address))
      throw new ToolProblem(t.say('badAddress', { address: quoted(address) }))
    const { items } = await t.call(membersContract.list, { query: { q: address.slice(0, 128), limit: 20 } })
    const [here] = bestOf(
      items.filter(member => member.state !== 'left'),
      address,
      1,
      member => [member.email, member.phone],
    )
    if (here && (here.email === address || here.phone === address))
      throw new ToolProblem(
        t.say(here.state === 'invited' ? 'alreadyInvited' : 'alreadyHere', { name: quoted(memberName(here)) }),
        {
          title: t.say('page'),
          to: listAt(PAGE, address),
        },
      )
    const roles = await rolesNamed(t, input.role)
    await refuseBeyondOwn(t, roles)
    const named = listed(
      t,
      roles.map(role => role.name),
    )
    return {
      calls: [
        plannedCall(membersContract.invite, {
          body: {
            address,
            roleIds: roles.map(role => role.id),
            locale: t.locale,
            ...(input.display_name ? { displayName: input.display_name } : {}),
          },
        }),
      ],
      effects: [t.say(isMail ? 'byMail' : 'bySms', { address: quoted(address), roles: quoted(named) })],
      changes: [{ field: t.say('member'), before: null, after: `${input.display_name ?? address} (${named})` }],
      memo: { roles: named },
    }
  },
  async finish(t, { results, memo }) {
    const member = results[0] as MemberView
    return {
      result: {
        text: t.say('done', { address: quoted(memberName(member)), roles: quoted((memo as { roles: string }).roles) }),
        mentions: [mentionOf(member)],
        data: { id: member.id, state: member.state },
      },
      undo: [plannedCall(membersContract.revoke, { params: { id: member.id } })],
    }
  },
})

interface RoleMemo {
  before: string[]
  after: string
}

/** Gives, takes or replaces roles: they differ in which ones are held afterwards. */
function roleTool(
  name: 'grant_role' | 'withdraw_role' | 'replace_roles',
  description: string,
  next: (t: ToolContext, member: MemberView, roles: readonly RoleRef[]) => RoleRef[],
): Tool {
  return defineTool({
    name,
    class: 'write',
    permission: 'member:write',
    description,
    input: Type.Object(
      {
        member: Member,
        role: Type.Optional(
          Type.String({ maxLength: 200, description: 'Name of the role; several separated by commas' }),
        ),
      },
      closed,
    ),
    words: words[name],
    async prepare(t, input) {
      const member = await memberAsked(t, input.member)
      if (member.state === 'left' || member.state === 'invited')
        throw new ToolProblem(
          t.say('notMember', { name: quoted(memberName(member)), state: t.say(`state_${member.state}`) }),
        )
      const roles = await rolesNamed(t, input.role)
      const after = next(t, member, roles)
      const held = new Set(member.roles.map(role => role.id))
      const wanted = new Set(after.map(role => role.id))
      await refuseBeyondOwn(t, [
        ...after.filter(role => !held.has(role.id)),
        ...member.roles.filter(role => !wanted.has(role.id)),
      ])
      const named =
        listed(
          t,
          after.map(role => role.name),
        ) || NOTHING
      const effects = [t.say('effect', { name: quoted(memberName(member)), roles: quoted(named) })]
      if (after.length === 0) effects.push(t.say('noRoleLeft'))
      return {
        calls: [
          plannedCall(membersContract.update, {
            params: { id: member.id },
            body: { version: member.version, roleIds: after.map(role => role.id) },
          }),
        ],
        effects,
        changes: [{ field: t.say('rolesField'), before: namesOf(t, member.roles), after: named }],
        object: mentionOf(member),
        memo: { before: member.roles.map(role => role.id), after: named } satisfies RoleMemo,
      }
    },
    async finish(t, { results, memo }) {
      const member = results[0] as MemberView
      const { before, after } = memo as RoleMemo
      return {
        result: {
          text: t.say('done', { name: quoted(memberName(member)), roles: quoted(after) }),
          mentions: [mentionOf(member)],
          data: { id: member.id, roles: member.roles.map(role => role.name) },
        },
        undo: [
          plannedCall(membersContract.update, {
            params: { id: member.id },
            body: { version: member.version, roleIds: before },
          }),
        ],
      }
    },
  })
}

const heldAs = (t: ToolContext, member: MemberView): RoleRef[] =>
  member.roles.map(role => ({ id: role.id, name: nameIn(t, role) }))

const grantRole = roleTool('grant_role', 'Gives a member one more role (or several).', (t, member, roles) => {
  const held = heldAs(t, member)
  const more = roles.filter(role => !held.some(one => one.id === role.id))
  if (more.length === 0)
    throw new ToolProblem(
      t.say('hasIt', {
        name: quoted(memberName(member)),
        role: quoted(
          listed(
            t,
            roles.map(role => role.name),
          ),
        ),
      }),
    )
  return [...held, ...more]
})

const withdrawRole = roleTool('withdraw_role', 'Takes a role away from a member.', (t, member, roles) => {
  const held = heldAs(t, member)
  const rest = held.filter(one => !roles.some(role => role.id === one.id))
  if (rest.length === held.length)
    throw new ToolProblem(
      t.say('hasNot', {
        name: quoted(memberName(member)),
        role: quoted(
          listed(
            t,
            roles.map(role => role.name),
          ),
        ),
      }),
    )
  return rest
})

const replaceRoles = roleTool(
  'replace_roles',
  'Gives a member exactly these roles; those he held besides are taken away.',
  (t, member, roles) => {
    const held = heldAs(t, member)
    if (held.length === roles.length && held.every(one => roles.some(role => role.id === one.id)))
      throw new ToolProblem(
        t.say('sameRoles', {
          name: quoted(memberName(member)),
          role: quoted(
            listed(
              t,
              roles.map(role => role.name),
            ),
          ),
        }),
      )
    return [...roles]
  },
)

/** A change of a member's state that another route takes back. */
function stateTool(
  name: 'freeze_member' | 'unfreeze_member' | 'unlock_member',
  description: string,
  fits: (member: MemberView) => boolean,
  way: { route: 'freeze' | 'unfreeze' | 'unlock'; back: 'freeze' | 'unfreeze' | null },
): Tool {
  const tool: ChangeTool<ReturnType<typeof memberInput>> = {
    name,
    class: 'write',
    permission: 'member:write',
    description,
    input: memberInput(),
    words: words[name],
    async prepare(t, input) {
      const member = await memberAsked(t, input.member)
      if (member.isSelf && name === 'freeze_member') throw new ToolProblem(t.say('yourself'))
      if (!fits(member))
        throw new ToolProblem(
          t.say('wrongState', { name: quoted(memberName(member)), state: t.say(`state_${member.state}`) }),
        )
      const after = { freeze: 'state_frozen', unfreeze: 'state_active', unlock: 'unlockedNow' }[way.route]
      return {
        calls: [plannedCall(membersContract[way.route], { params: { id: member.id } })],
        effects: [t.say('effect', { name: quoted(memberName(member)) })],
        changes: [
          {
            field: t.say('stateField'),
            before: t.say(way.route === 'unlock' ? 'lockedNow' : `state_${member.state}`),
            after: t.say(after),
          },
        ],
        object: mentionOf(member),
      }
    },
    async finish(t, { results }) {
      const member = results[0] as MemberView
      const result = {
        text: t.say('done', { name: quoted(memberName(member)) }),
        mentions: [mentionOf(member)],
        data: { id: member.id, state: member.state },
      }
      if (!way.back) return { result }
      return { result, undo: [plannedCall(membersContract[way.back], { params: { id: member.id } })] }
    },
  }
  return defineTool(tool)
}

function memberInput() {
  return Type.Object({ member: Member }, closed)
}

const freezeMember = stateTool(
  'freeze_member',
  'Freezes a member: his sessions end and he cannot sign in until he is unfrozen.',
  member => member.state === 'active',
  { route: 'freeze', back: 'unfreeze' },
)
const unfreezeMember = stateTool(
  'unfreeze_member',
  'Lets a frozen member sign in again.',
  member => member.state === 'frozen',
  { route: 'unfreeze', back: 'freeze' },
)
const unlockMember = stateTool(
  'unlock_member',
  'Forgets the wrong passwords that lock the sign-in of a member.',
  member => member.lockedUntil !== null,
  { route: 'unlock', back: null },
)

const removeMember = defineTool({
  name: 'remove_member',
  class: 'delete',
  permission: 'member:write',
  description:
    'Removes a member from the company for good (his roles, phone and mail address are freed), or withdraws an open invitation. `to` names the member who takes over what he owns.',
  input: Type.Object(
    { member: Member, to: Type.Optional(Type.String({ maxLength: 128, description: 'Who takes over what he owns' })) },
    closed,
  ),
  words: words.remove_member,
  async prepare(t, input) {
    const member = await memberAsked(t, input.member)
    const name = memberName(member)
    if (member.isSelf) throw new ToolProblem(t.say('yourself'))
    if (member.state === 'left') throw new ToolProblem(t.say('leftAlready', { name: quoted(name) }))
    const changes = [{ field: t.say('member'), before: name, after: null }]
    if (member.state === 'invited')
      return {
        calls: [plannedCall(membersContract.revoke, { params: { id: member.id } })],
        effects: [t.say('withdraw', { name: quoted(name) })],
        changes,
        object: mentionOf(member),
        memo: { name },
      }
    const owned = await ownedBy(t.call, member)
    const taker = input.to ? await t.find('member', input.to) : null
    if (taker?.id === member.id) throw new ToolProblem(t.say('toHimself'))
    const what = listed(
      t,
      owned.map(({ kind, count }) => t.say(`owned_${kind}`, { count })),
    )
    const effects = [t.say('effect', { name: quoted(name) }), t.say('forGood')]
    if (taker && what) effects.push(t.say('handOver', { what, to: quoted(taker.name) }))
    else if (what) effects.push(t.say('ownerless', { what }))
    return {
      calls: [
        plannedCall(membersContract.leave, { params: { id: member.id }, body: taker ? { handOverTo: taker.id } : {} }),
      ],
      effects,
      changes,
      object: mentionOf(member),
      memo: { name },
    }
  },
  async finish(t, { memo, results }) {
    const gone = (results[0] as Partial<MemberView>).state === 'left'
    return { result: { text: t.say(gone ? 'done' : 'withdrawn', { name: quoted((memo as { name: string }).name) }) } }
  },
})

export const memberChangeTools: readonly Tool[] = [
  inviteMember,
  grantRole,
  withdrawRole,
  replaceRoles,
  freezeMember,
  unfreezeMember,
  unlockMember,
  removeMember,
]
