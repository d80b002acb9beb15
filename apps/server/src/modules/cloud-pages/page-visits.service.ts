import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import { PAGE_LOCK_MINUTES, PAGE_TRIES, PAGE_TRIES_OF_ALL } from '@thingwright/contracts/cloud-pages.words'
import type { PageActionState, PageVisit, pageVisitsContract } from '@thingwright/contracts/page-visits.contract'
import { numberOf, type PageValue, type Scalar, type Scene, sceneSignals, truthOf } from '@thingwright/scene'
import { recordAudit } from '../../lib/audit.ts'
import { addressKey } from '../../lib/client-address.ts'
import { type Actor, actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import { secretHash } from '../../lib/crypto/secrets.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { AlarmsService } from '../alarms/index.ts'
import type { CommandsService } from '../commands/index.ts'
import type { TelemetryService } from '../telemetry/index.ts'
import type { TimedTasksService } from '../timed-tasks/index.ts'
import { version } from './cloud-pages.repo.ts'
import { storedScene } from './page-document.ts'
import type { LookBack, PagePast } from './page-past.ts'
import { isRight } from './page-secrets.ts'
import { decidingRoles, seenBy } from './page-sight.ts'
import type { Ticket, Tickets } from './page-tickets.ts'
import { contextOf, deviceOf, type PageReading, type Reader } from './page-values.ts'
import * as repo from './page-visits.repo.ts'

type Contract = typeof pageVisitsContract

export interface PageVisitsDeps {
  database: Database
  tickets: Tickets
  values: PageReading
  past: LookBack
  telemetry: Pick<TelemetryService, 'series'>
  commands: Pick<CommandsService, 'create' | 'get'>
  alarms: Pick<AlarmsService, 'list'>
  timedTasks: Pick<TimedTasksService, 'list'>
  /** The rights of a person now; null: he may no longer act; undefined: no member. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  now(): number
}

export interface PageVisitsService {
  /** @throws AppError page.off_line, page.passcode_required, page.link_required, page.sign_in_required … */
  visit(ctx: Ctx, suffix: string, input: BodyOf<Contract['enter']>): Promise<PageVisit>
  signedIn(ctx: Ctx, suffix: string, input: BodyOf<Contract['signedIn']>): Promise<PageVisit>
  /** Whether the visit may go on, and with which of the roles that decide about elements. @throws AppError */
  check(ticket: Ticket): Promise<{ no: number; roles: readonly string[] }>
  /** Values of the elements that these roles may see. */
  valuesOf(ticket: Ticket, roles: readonly string[]): Promise<Record<string, PageValue>>
  values(suffix: string, ticket: string): Promise<{ values: Record<string, PageValue> }>
  /** @throws AppError page.ticket_invalid also for the ticket of somebody else */
  past(ctx: Ctx, suffix: string, ticket: string, ts: number): Promise<PagePast>
  timedTasks(ctx: Ctx, suffix: string, ticket: string, role: string): Promise<ResponseOf<Contract['timedTasks']>>
  series(suffix: string, ticket: string, query: QueryOf<Contract['series']>): Promise<ResponseOf<Contract['series']>>
  alarmsOf(ctx: Ctx, suffix: string, ticket: string): Promise<ResponseOf<Contract['alarms']>>
  act(ctx: Ctx, suffix: string, input: BodyOf<Contract['act']>): Promise<PageActionState>
  action(ctx: Ctx, suffix: string, ticket: string, id: string): Promise<PageActionState>
  /** Hosts that the published page shows pictures, videos and frames of. */
  hostsOf(suffix: string): Promise<readonly string[]>
}

interface Published {
  scene: Scene
  reader: Reader
}

const LOCK_MS = PAGE_LOCK_MINUTES * 60_000
/** The permissions with which a published page runs are read again after this, ms. */
const READER_MS = 5_000
const KEPT = 200
const WRITES = ['set', 'toggle', 'add']

/** What visitors of a published page may see and do; everything is held against the page as it was published. */
export function createPageVisitsService(deps: PageVisitsDeps): PageVisitsService {
  const { database, tickets } = deps
  const published = new Map<string, { until: number; value: Promise<Published> }>()
  /** Commands that visitors gave, by their ids: which device, for which page. */
  const given = new Map<string, { pageId: string; deviceId: string }>()

  async function headOf(suffix: string): Promise<repo.PageHead> {
    const head = await database.withSystemScope('cloud-pages', scope => repo.headBySuffix(scope, suffix))
    if (head?.state !== 'published' || head.publishedNo === null) throw new AppError('page.off_line')
    return head
  }

  /** @throws AppError page.off_line when neither its publisher nor its owner is a member any more */
  async function load(head: repo.PageHead): Promise<Published> {
    const row = await database.withTenant({ tenantId: head.tenantId }, scope =>
      version(scope, head.id, head.publishedNo!),
    )
    if (!row) throw new AppError('page.off_line')
    const actor = row.ownerId === null ? undefined : await deps.ownerNow(head.tenantId, row.ownerId)
    // When the publisher has left the company, the page runs with the permissions of its present owner.
    const behind =
      actor === null && head.ownerId !== null && head.ownerId !== row.ownerId
        ? await deps.ownerNow(head.tenantId, head.ownerId)
        : actor
    if (behind === null) throw new AppError('page.off_line')
    return { scene: storedScene(row.scene), reader: { tenantId: head.tenantId, actor: behind } }
  }

  function publishedOf(head: repo.PageHead): Promise<Published> {
    const key = `${head.id} ${head.publishedNo} ${head.ownerId}`
    const found = published.get(key)
    if (found && found.until > deps.now()) return found.value
    if (published.size >= KEPT) published.clear()
    const value = load(head)
    published.set(key, { until: deps.now() + READER_MS, value })
    value.catch(() => published.delete(key))
    return value
  }

  /** Counts a try, and lets it be checked while there are any left. @throws AppError page.locked, `wrong` */
  async function tried(
    ctx: Ctx,
    page: repo.PageHead,
    kind: 'passcode' | 'pin',
    stored: string,
    secret: string,
  ): Promise<void> {
    const now = deps.now()
    const who = addressKey(ctx.ip ?? '')
    const own = { id: page.id, kind, who }
    for (const [counted, limit] of [
      [own, PAGE_TRIES],
      [{ id: page.id, kind, who: '*' }, PAGE_TRIES_OF_ALL],
    ] as const) {
      const { tries, until } = await database.withSystemScope('cloud-pages', scope =>
        repo.countTry(scope, counted, new Date(now), new Date(now + LOCK_MS), limit),
      )
      if (tries > limit) {
        const seconds = Math.max(1, Math.ceil((until.getTime() - now) / 1000))
        throw new AppError('page.locked', { params: { minutes: Math.ceil(seconds / 60) }, retryAfterSeconds: seconds })
      }
    }
    if (!(await isRight(stored, secret))) throw new AppError(kind === 'pin' ? 'page.pin_wrong' : 'page.passcode_wrong')
    await database.withSystemScope('cloud-pages', scope => repo.forgetTries(scope, own))
  }

  async function linkOf(page: repo.PageHead, link: string): Promise<string> {
    const found = await database.withSystemScope('cloud-pages', scope =>
      repo.linkByHash(scope, page.id, secretHash(link)),
    )
    if (!found || found.revokedAt) throw new AppError('page.link_invalid')
    if (found.expiresAt.getTime() <= deps.now()) throw new AppError('page.link_expired')
    return found.id
  }

  /** Whether somebody who is signed in may see the page. @throws AppError page.sign_in_required, page.role_required */
  async function admitPerson(page: repo.PageHead, actor: Actor | null | undefined): Promise<void> {
    if (!actor) throw new AppError('page.sign_in_required')
    if (page.visibility !== 'roles') return
    const held = await rolesOf(page.tenantId, actor)
    if (!page.roleIds.some(id => held.has(id))) throw new AppError('page.role_required')
  }

  async function rolesOf(tenantId: string, actor: Actor | null): Promise<Set<string>> {
    const loginId = actor === null ? null : ownerIdOf(actor)
    return loginId === null ? new Set() : database.withTenant({ tenantId }, scope => repo.rolesOf(scope, loginId))
  }

  /** The ticket that was shown, when it is still good for this page. */
  function ticketFor(page: repo.PageHead, text: string | undefined): Ticket | null {
    const ticket = text === undefined ? null : tickets.read(text)
    return ticket && ticket.pageId === page.id && ticket.epoch === page.epoch ? ticket : null
  }

  async function personOf(ticket: Pick<Ticket, 'loginId' | 'tenantId'>): Promise<Actor | null> {
    return ticket.loginId === null ? null : ((await deps.ownerNow(ticket.tenantId, ticket.loginId)) ?? null)
  }

  /** The page as this visitor gets it. */
  async function shown(
    page: repo.PageHead,
    who: { loginId: string | null; linkId: string | null; actor: Actor | null },
    asked: Readonly<Record<string, string>>,
    isFirst: boolean,
  ): Promise<PageVisit> {
    const { scene, reader } = await publishedOf(page)
    const devices = Object.fromEntries(
      Object.entries(asked).filter(([key, id]) => scene.roles.find(role => role.key === key)?.choices.includes(id)),
    )
    const held = await rolesOf(page.tenantId, who.actor)
    const ids = [
      ...new Set(scene.roles.flatMap(({ deviceId, choices }) => [...(deviceId ? [deviceId] : []), ...choices])),
    ]
    const states = new Map(
      (await database.withTenant(contextOf(reader), scope => repo.deviceStates(scope, ids))).map(each => [
        each.id,
        each,
      ]),
    )
    const values = await deps.values.read(reader, seenBy(scene, held, true), devices)
    if (isFirst) await database.withSystemScope('cloud-pages', scope => repo.countVisit(scope, page))
    return {
      name: page.name,
      suffix: page.suffix,
      no: page.publishedNo!,
      scene: seenBy(scene, held),
      ticket: tickets.give({
        pageId: page.id,
        tenantId: page.tenantId,
        epoch: page.epoch,
        devices,
        loginId: who.loginId,
        linkId: who.linkId,
      }),
      control: controlFor(page, who.actor),
      values,
      choices: scene.roles
        .filter(({ choices }) => choices.length > 0)
        .map(({ key, name, choices }) => ({
          role: key,
          name: name || key,
          deviceId: deviceOf(scene, key, devices),
          devices: choices.flatMap(id => states.get(id) ?? []).map(({ id, name: called }) => ({ id, name: called })),
        })),
      visitor: who.actor === null ? null : actorName(who.actor),
      history: who.actor !== null && (who.actor.kind === 'system' || who.actor.permissions.has('telemetry:read')),
    }
  }

  /** @throws AppError page.ticket_invalid and what `check` throws */
  async function visitOf(suffix: string, text: string): Promise<{ page: repo.PageHead; ticket: Ticket } & Published> {
    const page = await headOf(suffix)
    const ticket = ticketFor(page, text)
    if (!ticket) throw new AppError('page.ticket_invalid')
    await stillMay(page, ticket)
    return { page, ticket, ...(await publishedOf(page)) }
  }

  /** A visit with the page as this visitor sees it. @throws AppError as `visitOf` */
  async function sightOf(suffix: string, text: string): Promise<{ ticket: Ticket } & Published> {
    const { page, ticket, scene, reader } = await visitOf(suffix, text)
    const held = await rolesOf(page.tenantId, await personOf(ticket))
    return { ticket, reader, scene: seenBy(scene, held, true) }
  }

  /** The page as the caller sees it, with its devices. @throws AppError page.ticket_invalid for the ticket of somebody else */
  async function seenAsPerson(
    ctx: Ctx,
    suffix: string,
    text: string,
  ): Promise<{ scene: Scene; devices: Ticket['devices'] }> {
    const { page, ticket, scene } = await visitOf(suffix, text)
    const login = ownerIdOf(ctx.actor)
    if (page.tenantId !== ctx.tenantId || login === null || ticket.loginId !== login)
      throw new AppError('page.ticket_invalid')
    return { scene: seenBy(scene, await rolesOf(page.tenantId, ctx.actor), true), devices: ticket.devices }
  }

  async function stillMay(page: repo.PageHead, ticket: Ticket): Promise<void> {
    if (ticket.epoch !== page.epoch) throw new AppError('page.ticket_invalid')
    if (ticket.linkId !== null) {
      const link = await database.withSystemScope('cloud-pages', scope => repo.linkById(scope, ticket.linkId!))
      if (!link || link.revokedAt) throw new AppError('page.link_invalid')
      if (link.expiresAt.getTime() <= deps.now()) throw new AppError('page.link_expired')
    }
    if (page.visibility === 'signed_in' || page.visibility === 'roles') await admitPerson(page, await personOf(ticket))
  }

  return {
    async visit(ctx, suffix, { passcode, link, ticket: text, devices = {} }) {
      const page = await headOf(suffix)
      const ticket = ticketFor(page, text)
      let linkId = ticket?.linkId ?? null
      if (ticket) await stillMay(page, ticket)
      else if (link !== undefined && ['public', 'passcode', 'link'].includes(page.visibility))
        linkId = await linkOf(page, link)
      else if (page.visibility === 'link') throw new AppError('page.link_required')
      else if (page.visibility === 'signed_in' || page.visibility === 'roles')
        throw new AppError('page.sign_in_required')
      else if (page.visibility === 'passcode') {
        if (passcode === undefined || passcode === '') throw new AppError('page.passcode_required')
        await tried(ctx, page, 'passcode', page.passcodeHash ?? '', passcode)
      }
      const loginId = ticket?.loginId ?? null
      const actor = ticket ? await personOf(ticket) : null
      return shown(page, { loginId, linkId, actor }, { ...ticket?.devices, ...devices }, ticket === null)
    },

    async signedIn(ctx, suffix, { devices = {} }) {
      const page = await headOf(suffix)
      // A caller of another company is treated like a visitor who is not signed in.
      const isOwn = ctx.tenantId === page.tenantId && ctx.actor.kind !== 'operator'
      if (!isOwn) {
        if (page.visibility !== 'public') throw new AppError('page.sign_in_required')
        return shown(page, { loginId: null, linkId: null, actor: null }, devices, true)
      }
      if (page.visibility === 'signed_in' || page.visibility === 'roles') await admitPerson(page, ctx.actor)
      else if (page.visibility === 'passcode') throw new AppError('page.passcode_required')
      else if (page.visibility === 'link') throw new AppError('page.link_required')
      return shown(page, { loginId: ownerIdOf(ctx.actor), linkId: null, actor: ctx.actor }, devices, true)
    },

    async check(ticket) {
      const page = await database.withSystemScope('cloud-pages', scope => repo.headById(scope, ticket.pageId))
      if (page?.state !== 'published' || page.publishedNo === null) throw new AppError('page.off_line')
      if (ticket.expiresAt <= deps.now()) throw new AppError('page.ticket_invalid')
      await stillMay(page, ticket)
      const { scene } = await publishedOf(page)
      const held = await rolesOf(page.tenantId, await personOf(ticket))
      return { no: page.publishedNo, roles: decidingRoles(scene, held) }
    },

    async valuesOf(ticket, roles) {
      const page = await database.withSystemScope('cloud-pages', scope => repo.headById(scope, ticket.pageId))
      if (page?.state !== 'published' || page.publishedNo === null) throw new AppError('page.off_line')
      const { scene, reader } = await publishedOf(page)
      return deps.values.read(reader, seenBy(scene, new Set(roles), true), ticket.devices)
    },

    async values(suffix, text) {
      const { scene, reader, ticket } = await sightOf(suffix, text)
      return { values: await deps.values.read(reader, scene, ticket.devices) }
    },

    async past(ctx, suffix, text, ts) {
      const { scene, devices } = await seenAsPerson(ctx, suffix, text)
      return deps.past(ctx, scene, devices, ts)
    },

    async timedTasks(ctx, suffix, text, role) {
      const { scene, devices } = await seenAsPerson(ctx, suffix, text)
      if (!scene.nodes.some(({ kind, props }) => kind === 'timed-tasks' && props.role === role))
        throw new AppError('page.key_unknown')
      const deviceId = deviceOf(scene, role, devices)
      const mayChange =
        ctx.actor.kind === 'system' ||
        (ctx.actor.permissions.has('timed-task:write') && ctx.actor.permissions.has('device:command'))
      if (!deviceId) return { items: [], mayChange }
      const { items } = await deps.timedTasks.list(ctx, { deviceId, limit: 50, sort: 'nextRunAt' })
      return { items: items.map(({ id, name, state, nextRunAt }) => ({ id, name, state, nextRunAt })), mayChange }
    },

    async series(suffix, text, { key, hours, until }) {
      const { scene, reader, ticket } = await sightOf(suffix, text)
      const signal = sceneSignals(scene).get(key)
      if (signal?.kind !== 'property') throw new AppError('page.key_unknown')
      const deviceId = deviceOf(scene, signal.role, ticket.devices)
      if (!deviceId) return { points: [] }
      const now = deps.now()
      const to = Math.min(until ?? now, now)
      const { series } = await deps.telemetry.series(readerContext(reader, now), deviceId, {
        identifier: signal.point,
        from: to - hours * 3_600_000,
        to,
        points: 300,
      })
      return {
        points: (series[0]?.points ?? []).filter(point => point.every(n => typeof n === 'number')) as [
          number,
          number,
          number,
          number,
        ][],
      }
    },

    async alarmsOf(_ctx, suffix, text) {
      const { scene, reader, ticket } = await sightOf(suffix, text)
      if (!scene.nodes.some(({ kind }) => kind === 'alarms')) return { items: [] }
      const ids = [...new Set(scene.roles.flatMap(({ key }) => deviceOf(scene, key, ticket.devices) ?? []))]
      const found = await Promise.all(
        ids.map(deviceId =>
          deps.alarms.list(readerContext(reader, deps.now()), { deviceId, active: '1', limit: 50 } as never),
        ),
      )
      const items = found
        .flatMap(list => list.items)
        .map(alarm => ({
          id: alarm.id,
          level: alarm.level,
          name: alarm.triggerName,
          device: alarm.deviceName ?? '',
          raisedAt: alarm.raisedAt,
          acknowledged: alarm.acknowledgedAt !== null,
        }))
      return { items: items.sort((a, b) => b.raisedAt.localeCompare(a.raisedAt)).slice(0, 100) }
    },

    async act(ctx, suffix, input) {
      const { page, ticket, scene, reader } = await visitOf(suffix, input.ticket)
      const person = await personOf(ticket)
      const node = seenBy(scene, await rolesOf(page.tenantId, person)).nodes.find(each => each.id === input.node)
      const event = node?.events[input.event]
      if (!node || !event?.role || !event.point || !WRITES.includes(event.do)) throw new AppError('page.action_unknown')
      if (controlFor(page, person) === 'none') throw new AppError('page.no_control')
      if (node.operate.length > 0) {
        const held = await rolesOf(page.tenantId, person)
        if (!node.operate.some(id => held.has(id))) throw new AppError('page.role_required')
      }
      if (page.pinHash !== null) {
        if (!input.pin) throw new AppError('page.pin_required')
        await tried(ctx, page, 'pin', page.pinHash, input.pin)
      }
      // A page can do no more than its publisher is permitted to do.
      if (reader.actor && reader.actor.kind !== 'system' && !reader.actor.permissions.has('device:command'))
        throw new AppError('page.no_control')
      const deviceId = deviceOf(scene, event.role, ticket.devices)
      const role = scene.roles.find(({ key }) => key === event.role)
      if (!deviceId) throw new AppError('page.no_device', { params: { role: role?.name || event.role } })
      const [state] = await database.withTenant(contextOf(reader), scope => repo.deviceStates(scope, [deviceId]))
      if (!state) throw new AppError('page.no_device', { params: { role: role?.name || event.role } })
      const value = await valueToWrite(event, input.value, async () => {
        const values = await deps.values.read(reader, { ...scene, nodes: [node] }, ticket.devices)
        return values[`${event.role}.${event.point}`]?.v
      })
      // The lines of the operation log name who acted: the person, or the page itself.
      ctx.tenantId = page.tenantId
      ctx.actor = person ?? { kind: 'system', reason: `page ${page.suffix}` }
      const command = await deps.commands.create(
        ctx,
        deviceId,
        { kind: 'property_set', params: { [event.point]: value } },
        'page',
      )
      await database.withTenant({ tenantId: page.tenantId }, scope =>
        recordAudit(scope, ctx, {
          action: 'page.control',
          objectType: 'page',
          objectId: page.id,
          objectName: page.name,
          after: {
            element: node.name || node.id,
            device: state.name,
            property: event.point,
            value,
            command: command.id,
          },
        }),
      )
      if (given.size >= 10_000) given.delete(given.keys().next().value!)
      given.set(command.id, { pageId: page.id, deviceId })
      return { id: command.id, state: command.state, message: command.errorMessage }
    },

    async action(ctx, suffix, text, id) {
      const { page, reader } = await visitOf(suffix, text)
      const known = given.get(id)
      if (known?.pageId !== page.id) throw new AppError('page.action_unknown')
      const command = await deps.commands.get(
        { ...readerContext(reader, deps.now()), locale: ctx.locale },
        known.deviceId,
        id,
      )
      return { id, state: command.state, message: command.errorMessage }
    },

    async hostsOf(suffix) {
      try {
        const { scene } = await publishedOf(await headOf(suffix))
        return scene.hosts
      } catch {
        return []
      }
    },
  }
}

function readerContext(reader: Reader, now: number): Ctx {
  return {
    tenantId: reader.tenantId,
    actor: reader.actor ?? { kind: 'system', reason: 'page' },
    locale: 'zh',
    requestId: 'page',
    now,
  }
}

function controlFor(page: repo.PageHead, person: Actor | null): 'none' | 'pin' | 'free' {
  if (page.control === 'none') return 'none'
  if (page.control === 'signed_in') {
    if (!person || person.kind === 'system' || !person.permissions.has('device:command')) return 'none'
    return page.pinHash === null ? 'free' : 'pin'
  }
  return page.pinHash === null ? 'none' : 'pin'
}

/** @throws AppError page.value_missing, page.value_range */
async function valueToWrite(
  event: Scene['nodes'][number]['events'][number],
  given: Scalar | undefined,
  now: () => Promise<unknown>,
): Promise<Scalar> {
  if (event.do === 'toggle') {
    const before = await now()
    return typeof before === 'number' ? (before === 0 ? 1 : 0) : !truthOf(before === true || before === 'true')
  }
  let value: Scalar = event.value ?? given ?? null
  if (event.do === 'add') {
    const step = numberOf(value)
    const before = numberOf(await now())
    if (step === null || before === null) throw new AppError('page.value_missing')
    value = Math.round((before + step) * 1e6) / 1e6
  }
  if (value === null) throw new AppError('page.value_missing', { fields: { value: { code: 'page.value_missing' } } })
  const { min = null, max = null } = event
  if (min !== null || max !== null) {
    const n = numberOf(value)
    const params = { min: min ?? '-∞', max: max ?? '∞' }
    if (n === null || (min !== null && n < min) || (max !== null && n > max))
      throw new AppError('page.value_range', { params, fields: { value: { code: 'page.value_range', params } } })
  }
  return value
}
