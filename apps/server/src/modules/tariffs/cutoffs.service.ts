import type { MeterSettings } from '@thingwright/contracts/prepaid.contract'
import { inBackground } from '../../lib/background.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { partsIn } from '../../lib/zoned-time.ts'
import type { Inbox, MailPort } from '../notifications/index.ts'
import { lowEndUsers, yuan } from '../wallets/index.ts'
import { minuteOfDay } from './billing/timeline.ts'
import { type BillingService, createPrices } from './billing.service.ts'
import * as repo from './cutoffs.repo.ts'
import * as meters from './meters.repo.ts'
import * as settingsRepo from './settings.repo.ts'
import * as statements from './statements.repo.ts'
import words from './tariff-words.json' with { type: 'json' }

/** Sets a property of a device and says what became of it: done only when the device reported the value. */
export interface SwitchPort {
  create(
    ctx: Ctx,
    deviceId: string,
    input: {
      kind: 'property_set'
      params: Record<string, unknown>
      confirm: 'read_back'
      acknowledged: true
      timeoutMs: number
      expiresAt: string
    },
    source: 'schedule',
  ): Promise<{ id: string }>
  get(ctx: Ctx, deviceId: string, commandId: string): Promise<{ state: string; errorCode: string | null }>
}

export interface CutoffsDeps {
  database: Database
  billing: BillingService
  commands: SwitchPort
  telemetry: { latest(ctx: Ctx, deviceId: string): Promise<{ items: { identifier: string; ts: number }[] }> }
  inbox: Inbox
  mail: MailPort
  addresses(): { httpUrl: string }
  logger: Logger
  timeZone(tenantId: string): Promise<string>
}

export interface CutoffsService {
  /** What is due in all companies: draws, warnings, notices, cut-offs, restoring, reminders. May be begun again at any point. */
  work(now: number): Promise<void>
  /** The same for one company. */
  workFor(tenantId: string, now: number): Promise<void>
}

type Both = { zh: string; en: string }

const OPEN_MS = 300_000
const REPLY_MS = 30_000
/** A cut-off that failed is tried again after this time, a restoring sooner. */
const AGAIN_MS = { cut_failed: 600_000, restore_failed: 60_000 } as const
const PAGE = '/manage/user/center/info?tab=ownMetering'

export function createCutoffs(deps: CutoffsDeps): CutoffsService {
  const { database, billing, commands, telemetry, inbox, logger } = deps

  /** Beside the inbox, which has it in any case: a mail that does not go holds nothing up. */
  async function mailTo(scope: TenantScope, ids: readonly string[], title: Both, text: Both): Promise<void> {
    for (const { email, locale } of await meters.mailAddresses(scope, ids)) {
      const language = locale === 'en' ? 'en' : 'zh'
      const body = `${text[language]}\n\n${deps.addresses().httpUrl}${PAGE}`
      const send = () =>
        deps.mail
          .send({ to: email, subject: title[language], text: body })
          .catch((error: unknown) => logger.warn({ err: error }, 'an end user could not be mailed'))
      scope.afterCommit(() => inBackground('mail to an end user', send()))
    }
  }

  const tell = async (
    scope: TenantScope,
    to: { loginIds: string[] } | { permission: 'money:read' },
    what: keyof typeof words.notices,
    params: Record<string, string>,
    level: 'info' | 'warning' | 'error',
  ) => {
    const fill = (text: string) => Object.entries(params).reduce((t, [key, v]) => t.replace(`{${key}}`, v), text)
    const { title, text } = words.notices[what]
    const said = { title: { zh: fill(title.zh), en: fill(title.en) }, text: { zh: fill(text.zh), en: fill(text.en) } }
    if ('loginIds' in to) await mailTo(scope, to.loginIds, said.title, said.text)
    await inbox.notify(scope, {
      tenantId: scope.tenantId,
      to,
      kind: `meter.${what}`,
      ...said,
      link: 'loginIds' in to ? PAGE : '/cost/tariffs?tab=accounts',
      level,
    })
  }

  async function draw(ctx: Ctx, { drawMinutes }: MeterSettings, zone: string): Promise<void> {
    const since = new Date(ctx.now - drawMinutes * 60_000)
    const due = await database.withTenant(ctx, scope => meters.dueDraws(scope, scope.tenantId, since))
    const prices = createPrices(zone)
    for (const id of due) await billing.draw(ctx, id, { zone, prices })
  }

  async function warn(ctx: Ctx, { lowFen }: MeterSettings): Promise<void> {
    await database.withTenant(ctx, async scope => {
      const users = await repo.prepaidUsers(scope, scope.tenantId)
      for (const { id, availableFen } of await lowEndUsers(scope, scope.tenantId, users, lowFen))
        await tell(scope, { loginIds: [id] }, 'low', { amount: yuan(availableFen) }, 'warning')
      for (const { no, endUserId, openFen } of await statements.remind(scope, scope.tenantId, new Date(ctx.now)))
        await tell(scope, { loginIds: [endUserId] }, 'due', { no, amount: yuan(openFen) }, 'warning')
    })
  }

  /** Sends the command of a step that was written down before: a crash between leaves a step that counts as failed. */
  async function send(ctx: Ctx, cutoffId: string, meter: meters.MeterData, cut: boolean): Promise<void> {
    try {
      if (meter.deviceId === null || meter.cutProperty === null) throw new AppError('meter.no_device')
      const { id } = await commands.create(
        ctx,
        meter.deviceId,
        {
          kind: 'property_set',
          params: { [meter.cutProperty]: cut ? meter.cutValue : meter.restoreValue },
          confirm: 'read_back',
          acknowledged: true,
          timeoutMs: REPLY_MS,
          expiresAt: new Date(ctx.now + OPEN_MS).toISOString(),
        },
        'schedule',
      )
      await database.withTenant(ctx, scope => repo.setCommand(scope, cutoffId, id))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await database.withTenant(ctx, scope =>
        repo.move(scope, cutoffId, cut ? 'cut_failed' : 'restore_failed', new Date(ctx.now), error.code),
      )
    }
  }

  const isProtected = (settings: MeterSettings, zone: string, now: number) => {
    const { hour, minute } = partsIn(zone, now)
    const clock = hour * 60 + minute
    return settings.protected.some(({ from, to }) => {
      const [begin, end] = [minuteOfDay(from), minuteOfDay(to)]
      return begin <= end ? begin <= clock && clock < end : clock >= begin || clock < end
    })
  }

  async function isFresh(ctx: Ctx, meter: meters.MeterData, { freshMinutes }: MeterSettings): Promise<boolean> {
    if (meter.deviceId === null) return false
    const { items } = await telemetry.latest(ctx, meter.deviceId)
    const ts = items.find(({ identifier }) => identifier === meter.property)?.ts ?? 0
    return ctx.now - ts <= freshMinutes * 60_000
  }

  /** What became of the command of a step; null: it is not known yet. */
  async function outcome(ctx: Ctx, cutoff: repo.CutoffData, meter: meters.MeterData) {
    if (cutoff.commandId === null || meter.deviceId === null) {
      const isLost = ctx.now - (cutoff.triedAt?.getTime() ?? 0) > REPLY_MS * 2
      return isLost ? { done: false, reason: 'command.lost' } : null
    }
    const { state, errorCode } = await commands.get(ctx, meter.deviceId, cutoff.commandId)
    if (state === 'succeeded') return { done: true, reason: null }
    if (state === 'queued' || state === 'sent' || state === 'delivered') return null
    return { done: false, reason: errorCode ?? state }
  }

  /** One step of one cut-off. */
  async function advance(ctx: Ctx, id: string, balanceFen: number, settings: MeterSettings, zone: string) {
    const at = new Date(ctx.now)
    const seen = await database.withTenant(ctx, async scope => {
      const cutoff = await repo.hold(scope, id)
      return cutoff && { cutoff, meter: await meters.find(scope, cutoff.meterId) }
    })
    if (!seen?.meter) return
    const { cutoff, meter } = seen
    const paid = balanceFen > 0
    const { state } = cutoff
    /** Goes on from the state that was seen, if it still is that. */
    const go = (next: repo.CutoffData['state'], reason: string | null = null) =>
      database.withTenant(ctx, async scope => {
        const now = await repo.hold(scope, id)
        if (now?.state !== state) return false
        await repo.move(scope, id, next, at, reason)
        const params = { meter: meter.name, reason: reason ?? '' }
        if (next === 'cut') await tell(scope, { loginIds: [cutoff.endUserId] }, 'cut', params, 'error')
        if (next === 'restored') await tell(scope, { loginIds: [cutoff.endUserId] }, 'restored', params, 'info')
        if (next === 'cut_failed' || next === 'restore_failed')
          await tell(scope, { permission: 'money:read' }, next, params, 'error')
        return true
      })
    const restore = async () => {
      if (await go('restoring')) await send(ctx, id, meter, false)
    }
    const isDue = (pause: number) => ctx.now - (cutoff.triedAt?.getTime() ?? 0) >= pause
    switch (state) {
      case 'noticed':
      case 'cut_failed': {
        if (paid) {
          // A cut-off that failed may have done its work all the same.
          if (state === 'noticed') await go('cancelled')
          else await restore()
          return
        }
        const waited = ctx.now - cutoff.noticedAt.getTime() >= settings.waitMinutes * 60_000
        if (!waited || (state === 'cut_failed' && !isDue(AGAIN_MS.cut_failed))) return
        const waits = isProtected(settings, zone, ctx.now)
          ? 'protected'
          : (await isFresh(ctx, meter, settings))
            ? null
            : 'stale'
        if (waits) {
          await database.withTenant(ctx, scope => repo.setWaits(scope, id, waits))
          return
        }
        if (await go('cutting')) await send(ctx, id, meter, true)
        return
      }
      case 'cut':
        if (paid) await restore()
        return
      case 'restore_failed':
        if (isDue(AGAIN_MS.restore_failed)) await restore()
        return
      case 'cutting': {
        const found = await outcome(ctx, cutoff, meter)
        if (found) await go(found.done ? 'cut' : 'cut_failed', found.reason)
        else if (paid) await restore()
        return
      }
      case 'restoring': {
        const found = await outcome(ctx, cutoff, meter)
        if (found) await go(found.done ? 'restored' : 'restore_failed', found.reason)
        return
      }
      case 'restored':
      case 'cancelled':
        return
    }
  }

  async function notice(ctx: Ctx, meterId: string, endUserId: string, { waitMinutes }: MeterSettings): Promise<void> {
    await database.withTenant(ctx, async scope => {
      const at = new Date(ctx.now)
      const fresh = await repo.insert(scope, { id: newId(), tenantId: scope.tenantId, meterId, endUserId, at })
      if (!fresh) return
      const meter = (await meters.find(scope, meterId))?.name ?? ''
      await tell(scope, { loginIds: [endUserId] }, 'noticed', { meter, minutes: String(waitMinutes) }, 'warning')
    })
  }

  async function workFor(tenantId: string, now: number): Promise<void> {
    const ctx = systemContext(tenantId, 'metering', now)
    const zone = await deps.timeZone(tenantId)
    const settings = await database.withTenant(ctx, scope => settingsRepo.find(scope, tenantId))
    await draw(ctx, settings, zone)
    await warn(ctx, settings)
    for (const one of await database.withTenant(ctx, scope => repo.standing(scope, tenantId)))
      if (one.cutoffId === null) await notice(ctx, one.meterId, one.endUserId, settings)
      else await advance(ctx, one.cutoffId, one.balanceFen, settings, zone)
  }

  return {
    workFor,
    async work(now) {
      for (const id of await database.withSystemScope('money', scope => repo.companies(scope)))
        await workFor(id, now).catch((error: unknown) =>
          logger.error({ err: error, tenantId: id }, 'prepaid meters of a company were not looked after'),
        )
    },
  }
}
