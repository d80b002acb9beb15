import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { TokenReply } from './identity.contract.ts'
import { MEMBER_STATES } from './members.words.ts'
import { route } from './route.ts'

export const MemberState = Words(MEMBER_STATES)
export type MemberState = Static<typeof MemberState>

const RoleName = Type.Object({ id: Id, key: Type.String(), name: Type.String(), ename: Type.String() })
const Address = Type.String({ minLength: 3, maxLength: 254, description: 'Mail address or phone' })
const RoleIds = Type.Array(Id, { maxItems: 20, uniqueItems: true })

/** A member, or somebody who was invited and has not come yet. */
export const MemberView = Type.Object({
  id: Id,
  state: MemberState,
  username: Nullable(Type.String({ description: 'null while invited' })),
  displayName: Type.String(),
  phone: Nullable(Type.String()),
  email: Nullable(Type.String()),
  roles: Type.Array(RoleName),
  group: Nullable(Type.Object({ id: Id, name: Type.String() })),
  isOwner: Type.Boolean(),
  /** The caller himself. */
  isSelf: Type.Boolean(),
  lastSignInAt: Nullable(IsoTime),
  /** Wrong passwords lock the sign-in until then. */
  lockedUntil: Nullable(IsoTime),
  leftAt: Nullable(IsoTime),
  invitation: Nullable(
    Type.Object({
      channel: Words(['mail', 'sms']),
      invitedBy: Nullable(Type.String()),
      sentAt: IsoTime,
      sentCount: Type.Integer(),
      expiresAt: IsoTime,
      expired: Type.Boolean(),
    }),
  ),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type MemberView = Static<typeof MemberView>

const filters = {
  q: listQuery.q,
  sort: listQuery.sort,
  state: Type.Optional(MemberState),
  roleId: Type.Optional(Id),
  groupId: Type.Optional(Id),
  locked: Type.Optional(Words(['1'])),
}

/** Kinds of what belongs to members, in the order in which they are shown. */
export const OWNED_KINDS = [
  'device',
  'product',
  'saved_view',
  'task',
  'api_key',
  'subscription',
  'trigger',
  'timed_task',
  'page',
  'report',
] as const
export const OwnedKind = Words(OWNED_KINDS)
export type OwnedKind = Static<typeof OwnedKind>
const OwnedCounts = Type.Object({ items: Type.Array(Type.Object({ kind: OwnedKind, count: Type.Integer() })) })

/** What the holder of an invitation's link is shown before he accepts. */
export const InvitationPreview = Type.Object({
  company: Type.String(),
  inviter: Nullable(Type.String()),
  channel: Words(['mail', 'sms']),
  /** Masked: the link may have been passed on. */
  address: Type.String(),
  displayName: Type.String(),
  roles: Type.Array(RoleName),
  expiresAt: IsoTime,
  /** The address belongs to a login already: the new login comes without it. */
  addressTaken: Type.Boolean(),
})
export type InvitationPreview = Static<typeof InvitationPreview>

const Token = Type.String({ minLength: 20, maxLength: 128 })

export const membersContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/members',
    tag: 'Members',
    summary: 'People of the company and open invitations',
    permission: 'member:read',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(MemberView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/members/export',
    tag: 'Members',
    summary: 'The list as a file',
    permission: 'member:read',
    query: Type.Object({ ...filters, format: Words(['csv', 'xlsx']) }),
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/members/{id}',
    tag: 'Members',
    summary: 'One member',
    permission: 'member:read',
    params: IdParams,
    response: MemberView,
  }),
  invite: route({
    method: 'POST',
    path: '/api/v1/members/invitations',
    tag: 'Members',
    summary: 'Invites somebody by mail or SMS; the link is good for 7 days',
    permission: 'member:write',
    audit: 'member.invite',
    status: 201,
    body: Type.Object(
      {
        address: Address,
        displayName: Type.Optional(Type.String({ maxLength: 64 })),
        roleIds: RoleIds,
        groupId: Type.Optional(Nullable(Id)),
        locale: Type.Optional(Words(['zh', 'en'])),
      },
      { additionalProperties: false },
    ),
    response: MemberView,
  }),
  resend: route({
    method: 'POST',
    path: '/api/v1/members/invitations/{id}/resend',
    tag: 'Members',
    summary: 'Sends a new link; the one before is good no more',
    permission: 'member:write',
    audit: 'member.invite_again',
    params: IdParams,
    response: MemberView,
  }),
  revoke: route({
    method: 'DELETE',
    path: '/api/v1/members/invitations/{id}',
    tag: 'Members',
    summary: 'Withdraws an invitation',
    permission: 'member:write',
    audit: 'member.invite_withdraw',
    params: IdParams,
    response: Ok,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/members/{id}',
    tag: 'Members',
    summary: 'Changes name, group and roles of a member',
    permission: 'member:write',
    audit: 'member.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        displayName: Type.Optional(Name),
        groupId: Type.Optional(Nullable(Id)),
        roleIds: Type.Optional(RoleIds),
      },
      { additionalProperties: false },
    ),
    response: MemberView,
  }),
  freeze: route({
    method: 'POST',
    path: '/api/v1/members/{id}/freeze',
    tag: 'Members',
    summary: 'Ends all sessions of a member and lets him in no more',
    permission: 'member:write',
    audit: 'member.freeze',
    params: IdParams,
    response: MemberView,
  }),
  unfreeze: route({
    method: 'POST',
    path: '/api/v1/members/{id}/unfreeze',
    tag: 'Members',
    summary: 'Lets a frozen member in again',
    permission: 'member:write',
    audit: 'member.unfreeze',
    params: IdParams,
    response: MemberView,
  }),
  unlock: route({
    method: 'POST',
    path: '/api/v1/members/{id}/unlock',
    tag: 'Members',
    summary: 'Forgets the wrong passwords that lock a member’s sign-in',
    permission: 'member:write',
    audit: 'member.unlock',
    params: IdParams,
    response: MemberView,
  }),
  resetPassword: route({
    method: 'POST',
    path: '/api/v1/members/{id}/reset-password',
    tag: 'Members',
    summary: 'Sends a member a link to set a new password',
    permission: 'member:write',
    audit: 'member.reset_password',
    params: IdParams,
    response: Type.Object({ sentTo: Type.String({ description: 'Masked' }) }),
  }),
  owned: route({
    method: 'GET',
    path: '/api/v1/members/{id}/owned',
    tag: 'Members',
    summary: 'How much a member owns, by kind',
    permission: 'member:read',
    params: IdParams,
    response: OwnedCounts,
  }),
  handOver: route({
    method: 'POST',
    path: '/api/v1/members/{id}/hand-over',
    tag: 'Members',
    summary: 'Gives everything a member owns to another one',
    permission: 'member:write',
    audit: 'member.hand_over',
    params: IdParams,
    body: Type.Object({ to: Id }, { additionalProperties: false }),
    response: OwnedCounts,
  }),
  leave: route({
    method: 'POST',
    path: '/api/v1/members/{id}/leave',
    tag: 'Members',
    summary: 'Ends a membership for good: sessions end, roles, phone and mail address are freed',
    permission: 'member:write',
    audit: 'member.leave',
    params: IdParams,
    body: Type.Object({ handOverTo: Type.Optional(Nullable(Id)) }, { additionalProperties: false }),
    response: MemberView,
  }),
  transferOwnership: route({
    method: 'POST',
    path: '/api/v1/members/{id}/transfer-ownership',
    tag: 'Members',
    summary: 'The calling owner makes a member owner in his place and becomes administrator; asks for a fresh proof',
    permission: 'member:write',
    audit: 'member.transfer_ownership',
    params: IdParams,
    response: MemberView,
  }),
  invitation: route({
    method: 'POST',
    path: '/oauth/invitation',
    tag: 'Members',
    summary: 'What an invitation’s link stands for',
    permission: 'public',
    audit: { none: 'nothing changes; the token stays out of the address and so out of logs' },
    anyAccountState: true,
    body: Type.Object({ token: Token }, { additionalProperties: false }),
    response: InvitationPreview,
  }),
  accept: route({
    method: 'POST',
    path: '/oauth/invitation/accept',
    tag: 'Members',
    summary: 'Accepts an invitation: makes the login and replies like /oauth/token',
    permission: 'public',
    audit: { none: 'written by the service: the login does not exist before' },
    anyAccountState: true,
    body: Type.Object(
      {
        token: Token,
        username: Type.String({ minLength: 3, maxLength: 32 }),
        displayName: Type.Optional(Type.String({ maxLength: 64 })),
        password: Type.String({ minLength: 1, maxLength: 256 }),
        acceptTerms: Type.Boolean(),
      },
      { additionalProperties: false },
    ),
    response: TokenReply,
  }),
}
