import type { MemberView, OwnedKind } from '@thingwright/contracts/members.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { OwnedObjects } from '../../lib/owned.ts'
import { personIn } from '../../lib/person.ts'
import { type IdentityModule, loginById, setLoginLeft } from '../identity/index.ts'
import type { Inbox, MailPort } from '../notifications/index.ts'
import { assignRoles, listRoles, OWNER, rolesOf } from '../roles/index.ts'
import { toView } from './member-view.ts'
import words from './member-words.json' with { type: 'json' }
import { type LoginOfMember, lockMember, memberRow } from './members.repo.ts'
import { changeable } from './members.service.ts'

/** What an owner who handed over becomes. */
const AFTER_OWNER = 'administrator'

export interface OwnershipDeps {
  database: Database
  identity: Pick<IdentityModule, 'service' | 'security'>
  inbox: Inbox
  mail: MailPort
  owned(): readonly OwnedObjects[]
  /** For notices nobody waits for. */
  onMailFailed(error: unknown): void
}

type Counts = { items: { kind: OwnedKind; count: number }[] }

export interface OwnershipService {
  owned(ctx: Ctx, id: string): Promise<Counts>
  /** @throws AppError member.not_found, member.receiver_invalid, member.owner_only */
  handOver(ctx: Ctx, id: string, to: string): Promise<Counts>
  /** Ends a membership. @throws AppError member.yourself, member.owner_only, role.last_owner, member.state_invalid */
  leave(ctx: Ctx, id: string, input: { handOverTo?: string | null | undefined }): Promise<MemberView>
  /** @throws AppError auth.proof_required, member.not_owner, member.receiver_invalid */
  transferOwnership(ctx: Ctx, id: string): Promise<MemberView>
}

export function createOwnership(deps: OwnershipDeps): OwnershipService {
  const { database, identity } = deps

  /** Another active member. @throws AppError member.receiver_invalid */
  async function receiver(scope: TenantScope, id: string, giver: string): Promise<LoginOfMember> {
    const member = id === giver ? undefined : await lockMember(scope, id)
    if (member?.state !== 'active') throw new AppError('member.receiver_invalid')
    return member
  }

  /** All of it, also what lies outside the caller's own data scope: half a hand-over would leave things without an owner. */
  function give(scope: TenantScope, from: string, to: string): Promise<Counts['items']> {
    return scope.wholeCompany('hand-over', async () => {
      const items: Counts['items'] = []
      for (const objects of deps.owned())
        items.push({ kind: objects.kind, count: await objects.handOver(scope, from, to) })
      return items
    })
  }

  async function view(scope: TenantScope, ctx: Ctx, id: string): Promise<MemberView> {
    return toView(ctx, (await memberRow(scope, id, new Date(ctx.now)))!)
  }

  return {
    owned: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        if (!(await lockMember(scope, id))) throw new AppError('member.not_found')
        const items: Counts['items'] = []
        await scope.wholeCompany('hand-over', async () => {
          for (const objects of deps.owned()) items.push({ kind: objects.kind, count: await objects.count(scope, id) })
        })
        return { items }
      }),

    handOver: (ctx, id, to) =>
      database.withTenant(ctx, async scope => {
        const giver = await changeable(scope, ctx, id, 'anybody')
        const taker = await receiver(scope, to, id)
        const items = await give(scope, id, to)
        await recordAudit(scope, ctx, {
          action: 'member.hand_over',
          objectType: 'login',
          objectId: id,
          objectName: giver.username,
          after: { to: taker.username, ...Object.fromEntries(items.map(item => [item.kind, item.count])) },
        })
        return { items }
      }),

    async leave(ctx, id, { handOverTo }) {
      return database.withTenant(ctx, async scope => {
        const member = await changeable(scope, ctx, id, 'others')
        if (member.state === 'left') throw new AppError('member.state_invalid')
        const taker = handOverTo ? await receiver(scope, handOverTo, id) : null
        const items = taker ? await give(scope, id, taker.id) : []
        await assignRoles(scope, ctx, id, [])
        await setLoginLeft(scope, id, new Date(ctx.now))
        await identity.service.endMemberSessions(scope, id, 'left')
        await recordAudit(scope, ctx, {
          action: 'member.leave',
          objectType: 'login',
          objectId: id,
          objectName: member.username,
          before: { state: member.state, phone: member.phone, email: member.email },
          after: {
            state: 'left',
            ...(taker ? { to: taker.username, ...Object.fromEntries(items.map(item => [item.kind, item.count])) } : {}),
          },
        })
        return view(scope, ctx, id)
      })
    },

    async transferOwnership(ctx, id) {
      const actor = personIn(ctx.actor)
      const callerId = actor.loginId
      // Whoever found an open browser does not make somebody owner.
      await identity.security.requireFreshProof(ctx)
      const caller = await database.withSystemScope('sign-in', scope => loginById(scope, callerId))
      if (!caller) throw new AppError('auth.required')
      const result = await database.withTenant(ctx, async scope => {
        const mine = await rolesOf(scope, callerId)
        if (!mine.some(role => role.key === OWNER)) throw new AppError('member.not_owner')
        const taker = await receiver(scope, id, callerId)
        const roles = await listRoles(scope, ctx)
        const owner = roles.find(role => role.key === OWNER)!
        const after = roles.find(role => role.key === AFTER_OWNER)
        const theirs = (await rolesOf(scope, id)).map(role => role.id)
        // First the new owner, then the old one's roles: at no time the company is without.
        await assignRoles(scope, ctx, id, [...new Set([...theirs, owner.id])])
        const kept = mine.filter(role => role.key !== OWNER).map(role => role.id)
        await assignRoles(scope, ctx, callerId, [...new Set([...kept, ...(after ? [after.id] : [])])])
        await recordAudit(scope, ctx, {
          action: 'member.transfer_ownership',
          objectType: 'login',
          objectId: id,
          objectName: taker.username,
          before: { owner: actor.username },
          after: { owner: taker.username },
        })
        const params = { from: actor.displayName || actor.username, to: taker.displayName || taker.username }
        for (const [loginId, kind] of [
          [id, 'ownerGiven'],
          [callerId, 'ownerGone'],
        ] as const)
          await deps.inbox.notify(scope, {
            tenantId: ctx.tenantId,
            to: { loginIds: [loginId] },
            kind: 'member.transfer_ownership',
            level: 'warning',
            title: { zh: words.zh[kind].title, en: words.en[kind].title },
            text: { zh: fill(words.zh[kind].text, params), en: fill(words.en[kind].text, params) },
            link: '/admin/member',
          })
        scope.afterCommit(() => {
          identity.service.forget(id)
          identity.service.forget(callerId)
        })
        return { taker, params, view: await view(scope, ctx, id) }
      })
      const { taker, params } = result
      for (const [to, locale, kind] of [
        [taker.email, taker.locale, 'ownerGiven'],
        [caller.email, caller.locale, 'ownerGone'],
      ] as const)
        if (to)
          deps.mail
            .send({ to, subject: words[locale][kind].title, text: fill(words[locale][kind].text, params) })
            .catch(deps.onMailFailed)
      return result.view
    },
  }
}

function fill(template: string, params: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '')
}
