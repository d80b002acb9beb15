import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import { WECHAT_STEPS, type WechatStep } from '@thingwright/contracts/apps.words'
import type { WechatAccountView, wechatAccountsContract } from '@thingwright/contracts/wechat-accounts.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import { WECHAT_HOST, WechatError } from './wechat.port.ts'
import * as repo from './wechat-accounts.repo.ts'
import type { MessageChannel } from './wechat-channel.ts'
import type { AccountSecrets, WechatClient } from './wechat-client.ts'

type Contract = typeof wechatAccountsContract

export interface WechatAccountsService {
  list(ctx: Ctx): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError wechat_account.exists, wechat_account.aes_key_missing, wechat_account.address_blocked */
  create(ctx: Ctx, input: BodyOf<Contract['create']>, simulated?: boolean): Promise<WechatAccountView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<WechatAccountView>
  /** What WeChat says stands in the answer: a wrong secret is a state of the account, not an error of the request. */
  test(ctx: Ctx, id: string, step: WechatStep): Promise<WechatAccountView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface WechatAccountsDeps {
  database: Database
  client: WechatClient
  channel: MessageChannel
  outboundAllow: readonly string[]
  addresses(): { httpUrl: string }
  now(): number
}

/** WeChat: there is no menu yet. */
const NO_MENU = 46003

export function createWechatAccounts(deps: WechatAccountsDeps): WechatAccountsService {
  const { database, client } = deps

  function checkAddress(text: string): void {
    try {
      checkServiceUrl(deps.outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw wrong('baseUrl', 'wechat_account.address_blocked', { reason: error.message })
    }
  }

  const toView = (row: repo.AccountRow): WechatAccountView => ({
    id: row.id,
    name: row.name,
    appId: row.appId,
    mode: row.mode,
    hasAesKey: client.secretsOf(row).aesKey !== '',
    baseUrl: row.baseUrl,
    simulated: row.simulated,
    callbackUrl: `${deps.addresses().httpUrl}/callbacks/wechat/${row.id}`,
    steps: WECHAT_STEPS.map(step => {
      const note = row.steps[step]
      return { step, state: note?.state ?? 'open', said: note?.said ?? '', at: note?.at ?? null }
    }),
    lastMessageAt: row.lastMessageAt?.toISOString() ?? null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  })

  /** Asks WeChat what belongs to a step. */
  async function ask(account: repo.AccountRow, step: WechatStep): Promise<Omit<repo.StepNote, 'at'>> {
    try {
      switch (step) {
        case 'credentials':
          await client.newToken(account)
          return { state: 'ok', said: '' }
        case 'callback':
          // WeChat asks us: what it said last stands there already.
          return account.steps.callback ?? { state: 'open', said: '' }
        case 'template': {
          const { template_list: list } = await client.ask(account, '/cgi-bin/template/get_all_private_template')
          const count = Array.isArray(list) ? list.length : 0
          return { state: count > 0 ? 'ok' : 'open', said: String(count) }
        }
        case 'menu':
          await client.ask(account, '/cgi-bin/menu/get')
          return { state: 'ok', said: '' }
      }
    } catch (error) {
      if (!(error instanceof WechatError)) throw error
      if (step === 'menu' && error.code === NO_MENU) return { state: 'open', said: '' }
      return { state: 'failed', said: error.message }
    }
  }

  async function known(scope: TenantScope, id: string): Promise<repo.AccountRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('wechat_account.not_found')
    return row
  }

  const note = (
    scope: TenantScope,
    ctx: Ctx,
    verb: 'create' | 'update' | 'test' | 'remove',
    row: repo.AccountRow,
    values: object,
  ) =>
    recordAudit(scope, ctx, {
      action: `wechat_account.${verb}`,
      objectType: 'wechat_account',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  return {
    list: ctx =>
      database.withTenant(ctx, async scope => ({
        items: (await repo.list(scope)).map(toView),
        address: null,
      })),

    async create(ctx, input, simulated = false) {
      const secrets = { appSecret: input.appSecret, token: input.token, aesKey: input.aesKey ?? '' }
      const mode = input.mode ?? (secrets.aesKey === '' ? 'plain' : 'encrypted')
      checkMode(mode, secrets)
      const baseUrl = input.baseUrl ?? WECHAT_HOST
      if (!simulated && input.baseUrl !== undefined) checkAddress(baseUrl)
      const id = newId(ctx.now)
      try {
        await database.withTenant(ctx, async scope => {
          const values = { name: input.name.trim(), appId: input.appId, mode, baseUrl, simulated }
          await repo.insert(scope, id, { ...values, secretsCipher: client.seal(id, secrets) })
          const row = await known(scope, id)
          await note(scope, ctx, 'create', row, { after: shown(row) })
        })
      } catch (error) {
        if (!isUniqueViolation(error, 'wechat_accounts_tenant_key')) throw error
        throw new AppError('wechat_account.exists', { cause: error })
      }
      const row = await database.withTenant(ctx, scope => known(scope, id))
      const channelId = await deps.channel.put(ctx, row, secrets.appSecret)
      return database.withTenant(ctx, async scope => {
        await repo.setChannel(scope, id, channelId)
        return toView(await known(scope, id))
      })
    },

    async update(ctx, id, { version, appSecret, token, aesKey, ...input }) {
      const { row, secrets } = await database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (input.baseUrl !== undefined && input.baseUrl !== before.baseUrl) checkAddress(input.baseUrl)
        const old = client.secretsOf(before)
        const secrets: AccountSecrets = {
          appSecret: appSecret ?? old.appSecret,
          token: token ?? old.token,
          aesKey: aesKey ?? old.aesKey,
        }
        const values = { ...before, ...input }
        checkMode(values.mode, secrets)
        const newAccess = appSecret !== undefined || values.appId !== before.appId || values.baseUrl !== before.baseUrl
        const newCallback = token !== undefined || aesKey !== undefined || values.mode !== before.mode
        const { callback, ...asked } = before.steps
        const steps = { ...(newAccess ? {} : asked), ...(newCallback || newAccess || !callback ? {} : { callback }) }
        const sealed = client.seal(id, secrets)
        if (!(await repo.update(scope, id, version, { ...values, secretsCipher: sealed, steps })))
          throw new AppError('version.conflict', { params: { current: toView(before) } })
        const row = await known(scope, id)
        const changed = Object.entries({ appSecret, token, aesKey }).flatMap(([key, value]) =>
          value === undefined ? [] : [key],
        )
        await note(scope, ctx, 'update', row, {
          before: shown(before),
          after: { ...shown(row), ...(changed.length > 0 ? { secrets: changed } : {}) },
        })
        return { row, secrets }
      })
      const channelId = await deps.channel.put(ctx, row, secrets.appSecret)
      return database.withTenant(ctx, async scope => {
        await repo.setChannel(scope, id, channelId)
        return toView(await known(scope, id))
      })
    },

    async test(ctx, id, step) {
      const account = await database.withTenant(ctx, scope => known(scope, id))
      const outcome = { ...(await ask(account, step)), at: new Date(deps.now()).toISOString() }
      return database.withTenant(ctx, async scope => {
        await repo.noteStep(scope, id, step, outcome)
        await note(scope, ctx, 'test', account, {
          after: { step, state: outcome.state, ...(outcome.said ? { said: outcome.said } : {}) },
          result: outcome.state === 'failed' ? 'failed' : 'ok',
        })
        return toView(await known(scope, id))
      })
    },

    async remove(ctx, id) {
      const row = await database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await repo.remove(scope, id)
        await note(scope, ctx, 'remove', before, { before: shown(before) })
        return before
      })
      if (row.channelId) await deps.channel.remove(ctx, row.channelId)
      return { ok: true }
    },
  }
}

function checkMode(mode: repo.AccountRow['mode'], { aesKey }: AccountSecrets): void {
  if (mode !== 'plain' && aesKey === '') throw wrong('aesKey', 'wechat_account.aes_key_missing')
}

function wrong(
  field: string,
  code: 'wechat_account.aes_key_missing' | 'wechat_account.address_blocked',
  params: Record<string, unknown> = {},
): AppError {
  return new AppError(code, { params, fields: { [field]: { code, params } } })
}

const shown = (row: repo.AccountRow) => ({
  name: row.name,
  appId: row.appId,
  mode: row.mode,
  baseUrl: row.baseUrl,
})
