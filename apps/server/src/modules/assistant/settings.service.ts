import type {
  AssistantEngine,
  AssistantSettingsView,
  SetAssistantSettings,
} from '@thingwright/contracts/assistant.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { LlmSettings } from '../../lib/config.ts'
import type { Ctx, Locale } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Inbox } from '../notifications/index.ts'
import { type ModelTest, tryModel } from './llm/model-test.ts'
import type { LlmPort, LlmTarget } from './llm.port.ts'
import { readModelAddress, sameServer, settingsProblem } from './model-address.ts'
import * as repo from './settings.repo.ts'
import words from './settings-words.json' with { type: 'json' }
import { fill } from './tool-context.ts'
import { tokensOfMonth } from './usage.repo.ts'

/** What answers a company now, and how. */
export interface EffectiveModel {
  engine: AssistantEngine
  /** Null: off, or the built-in engine. */
  target: LlmTarget | null
  model: string | null
  temperature: number
  maxTokens: number
  /** The month's tokens are used up: the built-in engine answers instead. */
  overQuota: boolean
  /** Of this month; null: no limit. */
  remainingTokens: number | null
  /** Whether a model is told measured values and messages. */
  sendValues: boolean
  /** Fen for a million tokens. */
  priceIn: number
  priceOut: number
  timeZone: string
  /** Of the settings. */
  version: number
  keyRefused: boolean
}

export interface AssistantSettings {
  /** @param now epoch ms, for the month that counts */
  effective(tenantId: string, now?: number): Promise<EffectiveModel>
  get(ctx: Ctx): Promise<AssistantSettingsView>
  /** @throws AppError assistant.model_invalid naming the field, version.conflict with what is there now */
  set(ctx: Ctx, change: SetAssistantSettings): Promise<AssistantSettingsView>
  /**
   * What the service of the company's own model said to its key. The first refusal is told to those who can mend it.
   * @param asked the settings with which it was asked
   */
  keyAnswered(tenantId: string, asked: EffectiveModel, status: number | null): Promise<void>
  /**
   * Asks the model one short question. What is not given is taken from what is stored; the stored key goes to the
   * server it was stored for and to no other.
   * @throws AppError assistant.model_invalid when there is nothing that could be asked
   */
  test(ctx: Ctx, given: SetAssistantSettings, signal?: AbortSignal): Promise<ModelTest>
}

export interface AssistantSettingsDeps {
  database: Database
  /** The installation's: the company's key for the model is sealed with it. */
  secretKey: string
  /** The model that the installation names. */
  installation: LlmSettings | null
  llm: LlmPort
  /** CIDRs of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  timeZone(tenantId: string): Promise<string>
  inbox: Inbox
}

/** @returns fen for what an answer took */
export function costFen(
  prices: Pick<EffectiveModel, 'priceIn' | 'priceOut'>,
  promptTokens: number,
  completionTokens: number,
): number {
  return (promptTokens * prices.priceIn + completionTokens * prices.priceOut) / 1_000_000
}

export function createAssistantSettings(deps: AssistantSettingsDeps): AssistantSettings {
  const { database, installation, llm, outboundAllow } = deps
  const box = createCryptoBox(deps.secretKey, 'assistant-model')

  const chosen = ({ engine }: Pick<repo.SettingsRow, 'engine'>): AssistantEngine => {
    if (engine === 'installation' && !installation) return 'builtin'
    return engine ?? (installation ? 'installation' : 'builtin')
  }
  const keyOf = (tenantId: string, cipher: Buffer | null) => cipher && box.open(cipher, tenantId).toString('utf8')

  function targetOf(engine: AssistantEngine, tenantId: string, row: repo.SettingsRow): LlmTarget | null {
    if (engine === 'installation' && installation) return { ...installation, trusted: true }
    if (engine !== 'own') return null
    const apiKey = keyOf(tenantId, row.api_key_cipher)
    return { baseUrl: row.base_url, apiKey, model: row.model, trusted: false }
  }

  /** What the change makes of it, without the key. @throws AppError assistant.model_invalid */
  function merged(locale: Locale, before: repo.SettingsRow, change: SetAssistantSettings): repo.SettingsRow {
    const after: repo.SettingsRow = {
      ...before,
      engine: change.engine ?? before.engine,
      base_url:
        change.baseUrl === undefined
          ? before.base_url
          : change.baseUrl.trim() && readModelAddress(locale, change.baseUrl, outboundAllow),
      model: change.model?.trim() ?? before.model,
      temperature: change.temperature ?? before.temperature,
      max_tokens: change.maxTokens ?? before.max_tokens,
      monthly_tokens: change.monthlyTokens === undefined ? before.monthly_tokens : change.monthlyTokens,
      price_in: change.pricePerMillionIn ?? before.price_in,
      price_out: change.pricePerMillionOut ?? before.price_out,
      send_values: change.sendValues ?? before.send_values,
    }
    if (after.engine === 'own' && !after.base_url) throw settingsProblem(locale, 'addressMissing', 'baseUrl')
    if (after.engine === 'own' && !after.model) throw settingsProblem(locale, 'modelMissing', 'model')
    if (change.engine === 'installation' && !installation) throw settingsProblem(locale, 'noInstallation', 'engine')
    return after
  }

  async function view(scope: TenantScope, now: number, zone: string): Promise<AssistantSettingsView> {
    const row = await repo.settingsOf(scope)
    return {
      engine: chosen(row),
      baseUrl: row.base_url,
      model: row.model,
      temperature: row.temperature,
      maxTokens: row.max_tokens,
      monthlyTokens: row.monthly_tokens,
      pricePerMillionIn: row.price_in,
      pricePerMillionOut: row.price_out,
      sendValues: row.send_values,
      hasApiKey: row.api_key_cipher !== null,
      installation: installation && { model: installation.model },
      keyRefusedAt: row.key_refused_at?.toISOString() ?? null,
      usedTokens: await tokensOfMonth(scope, now, zone),
      version: row.version,
      updatedAt: row.updated_at?.toISOString() ?? null,
    }
  }

  return {
    async effective(tenantId, now = Date.now()) {
      const timeZone = await deps.timeZone(tenantId)
      return database.withTenant({ tenantId }, async scope => {
        const row = await repo.settingsOf(scope)
        const engine = chosen(row)
        const target = targetOf(engine, tenantId, row)
        const remainingTokens =
          target && row.monthly_tokens !== null
            ? Math.max(0, row.monthly_tokens - (await tokensOfMonth(scope, now, timeZone)))
            : null
        return {
          engine,
          target,
          model: target?.model ?? null,
          temperature: row.temperature,
          maxTokens: row.max_tokens,
          overQuota: remainingTokens === 0,
          remainingTokens,
          sendValues: row.send_values,
          priceIn: row.price_in,
          priceOut: row.price_out,
          timeZone,
          version: row.version,
          keyRefused: row.key_refused_at !== null,
        }
      })
    },

    async keyAnswered(tenantId, asked, status) {
      if (asked.engine !== 'own' || (status === null && !asked.keyRefused)) return
      await database.withTenant({ tenantId }, async scope => {
        if (status === null) return repo.forgetKeyRefused(scope, asked.version)
        if (!(await repo.noteKeyRefused(scope, asked.version, Date.now()))) return
        const host = new URL(asked.target!.baseUrl).host
        const { title, text } = words.keyRefused
        await deps.inbox.notify(scope, {
          tenantId,
          to: { permission: 'company:write' },
          kind: 'assistant.key_refused',
          level: 'error',
          title,
          text: { zh: fill(text.zh, { host, status }), en: fill(text.en, { host, status }) },
          link: '/admin/account?tab=assistant',
        })
      })
    },

    async get(ctx) {
      const zone = await deps.timeZone(ctx.tenantId)
      return database.withTenant(ctx, scope => view(scope, ctx.now, zone))
    },

    async set(ctx, change) {
      const zone = await deps.timeZone(ctx.tenantId)
      return database.withTenant(ctx, async scope => {
        const before = await repo.settingsOf(scope, true)
        if (change.version !== undefined && change.version !== before.version)
          throw new AppError('version.conflict', { params: { current: await view(scope, ctx.now, zone) } })
        const after = merged(ctx.locale, before, change)
        if (change.apiKey !== undefined)
          after.api_key_cipher = change.apiKey === null ? null : box.seal(change.apiKey, ctx.tenantId)
        // A stored key goes only where it went before: else a new address would be handed the old one's.
        else if (!sameServer(before.base_url, after.base_url)) after.api_key_cipher = null
        await repo.storeSettings(scope, after)
        await recordAudit(scope, ctx, {
          action: 'assistant.set_settings',
          objectType: 'company',
          objectId: ctx.tenantId,
          before: described(before),
          after: { ...described(after), keyChanged: change.apiKey !== undefined },
        })
        return view(scope, ctx.now, zone)
      })
    },

    async test(ctx, given, signal) {
      const row = await database.withTenant(ctx, scope => repo.settingsOf(scope))
      const asked = merged(ctx.locale, { ...row, engine: chosen(row) }, given)
      if (asked.engine !== 'own' && asked.engine !== 'installation')
        throw settingsProblem(ctx.locale, 'noModelToTest', 'engine')
      const target = targetOf(asked.engine, ctx.tenantId, {
        ...asked,
        api_key_cipher:
          given.apiKey === undefined && sameServer(row.base_url, asked.base_url) ? row.api_key_cipher : null,
      })
      if (!target) throw settingsProblem(ctx.locale, 'noInstallation', 'engine')
      if (asked.engine === 'own' && given.apiKey) target.apiKey = given.apiKey
      const tried = await tryModel(llm, target, { locale: ctx.locale, temperature: asked.temperature, signal })
      // What is stored works after all.
      if (
        tried.ok &&
        row.key_refused_at &&
        asked.engine === 'own' &&
        target.apiKey === keyOf(ctx.tenantId, row.api_key_cipher)
      )
        await database.withTenant(ctx, scope => repo.forgetKeyRefused(scope, row.version))
      return tried
    },
  }
}

/** For the operation log: the key is not in it, sealed or not. */
function described(row: repo.SettingsRow): Record<string, unknown> {
  return {
    engine: row.engine,
    baseUrl: row.base_url,
    model: row.model,
    temperature: row.temperature,
    maxAnswer: row.max_tokens,
    monthlyLimit: row.monthly_tokens,
    priceIn: row.price_in,
    priceOut: row.price_out,
    sendValues: row.send_values,
    keyStored: row.api_key_cipher !== null,
  }
}
