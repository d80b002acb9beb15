import type { BodyOf } from '@thingwright/contracts'
import type { CarrierView, carriersContract } from '@thingwright/contracts/carriers.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import type { TasksModule } from '../tasks/index.ts'
import * as repo from './accounts.repo.ts'
import * as cards from './cards.repo.ts'
import { CarrierError, type CarrierKind } from './carrier.port.ts'
import type { Carriers } from './carriers.ts'
import words from './sim-card-words.json' with { type: 'json' }

type Contract = typeof carriersContract

export interface AccountsService {
  list(ctx: Ctx): Promise<{ items: CarrierView[] }>
  /** @throws AppError carrier.name_taken, carrier.limit, carrier.secret_missing, carrier.secret_key_length, carrier.address_blocked */
  create(ctx: Ctx, input: BodyOf<Contract['create']>, simulated?: boolean): Promise<CarrierView>
  /** @throws AppError carrier.not_found, version.conflict, and those of create */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<CarrierView>
  /** What the carrier says stands in the answer: a wrong password is a state of the account, not an error of the request. */
  test(ctx: Ctx, id: string): Promise<CarrierView>
  sync(ctx: Ctx, id: string): Promise<{ taskId: string }>
  /** @throws AppError carrier.in_use */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

/** Where the carriers answer when nothing else is said (docs/integrations). */
export const DEFAULT_URLS: Readonly<Record<CarrierKind, string>> = {
  onelink: 'https://api.iot.10086.cn/v5',
  cmp: 'http://api.ct10649.com:9001',
  dcp: 'https://cmp-api.ctwing.cn:20164',
}
const CMP_KEY_LENGTH = 9
const MAX_ACCOUNTS = 50
const DEFAULTS = {
  cooldownSeconds: 180,
  perSecond: 5,
  alerts: { percents: [50, 80, 100], stopAt: null, offlineDays: null },
}

export interface AccountsDeps {
  database: Database
  carriers: Carriers
  outboundAllow: readonly string[]
  tasks?: Pick<TasksModule, 'service'>
}

export function createAccountsService({ database, carriers, outboundAllow, tasks }: AccountsDeps): AccountsService {
  async function known(scope: TenantScope, id: string): Promise<repo.ListedAccount> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('carrier.not_found')
    return row
  }

  async function checkName(scope: TenantScope, id: string, name: string): Promise<void> {
    const taken = await repo.idNamed(scope, name)
    if (taken !== null && taken !== id) wrong('name', 'carrier.name_taken', { name })
  }

  function checkAddress(text: string): void {
    try {
      checkServiceUrl(outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      wrong('baseUrl', 'carrier.address_blocked', { reason: error.message })
    }
  }

  function checkSecrets(kind: CarrierKind, { password, secretKey }: { password: string; secretKey: string }): void {
    if (kind !== 'dcp' && password === '') wrong('password', 'carrier.secret_missing')
    if (kind !== 'onelink' && secretKey === '') wrong('secretKey', 'carrier.secret_missing')
    if (kind === 'cmp' && secretKey.length !== CMP_KEY_LENGTH) wrong('secretKey', 'carrier.secret_key_length')
  }

  const shown = (row: repo.AccountRow) => ({
    name: row.name,
    kind: row.kind,
    baseUrl: row.baseUrl,
    account: row.account,
    cooldownSeconds: row.cooldownSeconds,
    perSecond: row.perSecond,
    options: row.options,
    alerts: row.alerts,
    disabled: row.state === 'disabled',
  })

  return {
    list: ctx => database.withTenant(ctx, async scope => ({ items: (await repo.list(scope)).map(toView) })),

    async create(ctx, input, simulated = false) {
      const secrets = { password: input.password ?? '', secretKey: input.secretKey ?? '' }
      checkSecrets(input.kind, secrets)
      const baseUrl = input.baseUrl ?? DEFAULT_URLS[input.kind]
      // The carrier's own address is allowed to be typed in; whether it may be asked is seen by the test.
      if (!simulated && input.baseUrl !== undefined) checkAddress(baseUrl)
      return database.withTenant(ctx, async scope => {
        await checkName(scope, '', input.name)
        if ((await repo.list(scope)).length >= MAX_ACCOUNTS)
          throw new AppError('carrier.limit', { params: { limit: MAX_ACCOUNTS } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId: scope.tenantId,
          name: input.name,
          carrier: input.kind === 'onelink' ? 'cmcc' : 'ctcc',
          kind: input.kind,
          baseUrl,
          account: input.account,
          cipher: carriers.seal(id, secrets),
          simulated,
          cooldownSeconds: input.cooldownSeconds ?? DEFAULTS.cooldownSeconds,
          perSecond: input.perSecond ?? DEFAULTS.perSecond,
          options: { clock: input.clock ?? 'shanghai', signedBody: input.signedBody ?? 'raw' },
          alerts: input.alerts ?? DEFAULTS.alerts,
        })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'carrier.create',
          objectType: 'carrier',
          objectId: id,
          objectName: row.name,
          after: shown(row),
        })
        return toView(row)
      })
    },

    update: (ctx, id, { version, password, secretKey, disabled, clock, signedBody, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (input.name !== undefined) await checkName(scope, id, input.name)
        const credentials = [password, secretKey, input.baseUrl, input.account]
        if (before.ofPlatform && credentials.some(given => given !== undefined))
          throw new AppError('carrier.of_platform')
        if (input.baseUrl !== undefined && input.baseUrl !== before.baseUrl) checkAddress(input.baseUrl)
        const old = carriers.secretsOf(before)
        const secrets = { password: password ?? old.password, secretKey: secretKey ?? old.secretKey }
        checkSecrets(before.kind, secrets)
        const newAccess =
          password !== undefined ||
          secretKey !== undefined ||
          (input.baseUrl !== undefined && input.baseUrl !== before.baseUrl) ||
          (input.account !== undefined && input.account !== before.account)
        const state = disabled === true ? 'disabled' : disabled === false || newAccess ? 'untested' : undefined
        const changed = await repo.update(scope, id, version, {
          ...input,
          ...(password === undefined && secretKey === undefined ? {} : { cipher: carriers.seal(id, secrets) }),
          ...(state ? { state } : {}),
          options: {
            clock: clock ?? before.options.clock ?? 'shanghai',
            signedBody: signedBody ?? before.options.signedBody ?? 'raw',
          },
        })
        if (!changed) throw new AppError('version.conflict', { params: { current: toView(before) } })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'carrier.update',
          objectType: 'carrier',
          objectId: id,
          objectName: row.name,
          before: shown(before),
          after: {
            ...shown(row),
            ...(password === undefined && secretKey === undefined ? {} : { credentials: 'changed' }),
          },
        })
        return toView(row)
      }),

    async test(ctx, id) {
      const { account, card } = await database.withTenant(ctx, async scope => {
        const account = await known(scope, id)
        if (account.state === 'disabled') throw new AppError('carrier.disabled')
        return { account, card: await cards.anyOf(scope, id) }
      })
      const fault = await faultOf(() => carriers.of(account).test(card ?? null))
      return database.withTenant(ctx, async scope => {
        await repo.note(scope, id, fault, new Date(ctx.now))
        await recordAudit(scope, ctx, {
          action: 'carrier.test',
          objectType: 'carrier',
          objectId: id,
          objectName: account.name,
          after: { ok: fault === null, ...(fault ? { said: fault.text, answer: fault.code } : {}) },
          result: fault === null ? 'ok' : 'failed',
        })
        return toView(await known(scope, id))
      })
    },

    sync: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const account = await known(scope, id)
        if (account.state === 'disabled') throw new AppError('carrier.disabled')
        const title = (text: string) => text.replace('{name}', account.name)
        const task = await tasks!.service.startIn(scope, ctx, {
          kind: 'sim_card.sync',
          title: { zh: title(words.zh.syncTitle), en: title(words.en.syncTitle) },
          input: { accountId: id, from: new Date(ctx.now).toISOString() },
          total: account.cards,
        })
        await recordAudit(scope, ctx, {
          action: 'carrier.sync',
          objectType: 'carrier',
          objectId: id,
          objectName: account.name,
          after: { cards: account.cards },
        })
        return { taskId: task.id }
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (before.cards > 0) throw new AppError('carrier.in_use', { params: { cards: before.cards } })
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'carrier.remove',
          objectType: 'carrier',
          objectId: id,
          objectName: before.name,
          before: shown(before),
        })
        return { ok: true }
      }),
  }
}

/** What the carrier said against it; null: nothing. */
async function faultOf(ask: () => Promise<void>): Promise<repo.AccountFault | null> {
  try {
    await ask()
    return null
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error
    return { kind: error.fault, code: error.code, text: error.text }
  }
}

function wrong(
  field: string,
  code: 'carrier.name_taken' | 'carrier.address_blocked' | 'carrier.secret_missing' | 'carrier.secret_key_length',
  params: Record<string, unknown> = {},
): never {
  throw new AppError(code, { params, fields: { [field]: { code, params } } })
}

function toView({ tenantId: _, cipher: __, options, ...row }: repo.ListedAccount): CarrierView {
  return {
    ...row,
    clock: options.clock ?? 'shanghai',
    signedBody: options.signedBody ?? 'raw',
    perSecond: Math.round(row.perSecond * 100) / 100,
    testedAt: row.testedAt?.toISOString() ?? null,
    syncedAt: row.syncedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
