import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { NotificationRecordView } from '@thingwright/contracts/contacts.contract'
import { CHANNEL_FIELDS, PROVIDERS_OF } from '@thingwright/contracts/contacts.words'
import type {
  NotificationChannelView,
  notificationChannelsContract,
} from '@thingwright/contracts/notification-channels.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { Simulators } from './channel.port.ts'
import type { ChannelSecrets } from './channel-secrets.ts'
import * as repo from './channels.repo.ts'
import { phoneOf } from './phone.ts'
import * as records from './records.repo.ts'
import { getRecord } from './records.service.ts'
import { testWords } from './sender.ts'

type Contract = typeof notificationChannelsContract

export interface ChannelsService {
  list(
    ctx: Ctx,
    input: QueryOf<Contract['list']>,
  ): Promise<{ items: NotificationChannelView[]; nextCursor: string | null }>
  /** @throws AppError channel.setting with the field, channel.name_taken, channel.no_simulator */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<NotificationChannelView>
  get(ctx: Ctx, id: string): Promise<NotificationChannelView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<NotificationChannelView>
  /** Sends one message now. A refusal is in the record, not an error. */
  test(ctx: Ctx, id: string, input: { to?: string }): Promise<NotificationRecordView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface ChannelsDeps {
  database: Database
  secrets: ChannelSecrets
  simulators: Simulators
  /** Sends what is due now. */
  sendNow(recordId: string): Promise<void>
  now(): number
}

const MOST = 50

/** Hosts of the robots that are known: what was typed in is asked at no other. */
const ROBOT_HOSTS: Record<string, readonly string[]> = {
  dingtalk: ['oapi.dingtalk.com'],
  wecom: ['qyapi.weixin.qq.com'],
  feishu: ['open.feishu.cn', 'open.larksuite.com'],
}

export function createChannelsService(deps: ChannelsDeps): ChannelsService {
  const { database, secrets } = deps

  async function known(scope: TenantScope, id: string): Promise<repo.ChannelRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('channel.not_found')
    return row
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: repo.ChannelRow, values: object) =>
    recordAudit(scope, ctx, {
      action: `notification_channel.${verb}`,
      objectType: 'notification_channel',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  /** What may be shown and what is sealed; names the setting that is wrong. */
  function checked(
    row: Pick<repo.ChannelRow, 'kind' | 'provider' | 'simulated'>,
    config: Record<string, string>,
    hidden: Record<string, string>,
  ): void {
    const fields = CHANNEL_FIELDS[`${row.kind}.${row.provider}`]
    const wrong = (field: string) => new AppError('channel.setting', { params: { field } })
    if (!fields || !PROVIDERS_OF[row.kind].includes(row.provider)) throw wrong('provider')
    for (const [values, names] of [
      [config, [...fields.config, 'locale?', 'at?']],
      [hidden, fields.secrets],
    ] as const) {
      const bare = names.map(name => name.replace('?', ''))
      for (const key of Object.keys(values)) if (!bare.includes(key)) throw wrong(key)
      for (const name of names)
        if (!name.endsWith('?') && !row.simulated && (values[name] ?? '').trim() === '') throw wrong(name)
    }
    const url = hidden.url ?? config.url
    if (url !== undefined && url !== '' && !isAddress(url, ROBOT_HOSTS[row.kind])) throw wrong('url')
    if (config.signName && /[【】]/.test(config.signName)) throw wrong('signName')
    if (config.playTimes && !/^[123]$/.test(config.playTimes)) throw wrong('playTimes')
    if (config.port && !(Number(config.port) > 0 && Number(config.port) < 65_536)) throw wrong('port')
    if (config.locale && config.locale !== 'zh' && config.locale !== 'en') throw wrong('locale')
  }

  return {
    list: (ctx, input) =>
      readFrom(input.cursor, () =>
        database.withTenant(ctx, async scope => {
          const limit = input.limit ?? 20
          const after = decodeCursor(input.cursor, 1)?.[0] as string | undefined
          const rows = await repo.list(scope, limit + 1, after ?? null, input.q?.trim() ?? '', input.kind ?? null)
          const page = rows.slice(0, limit)
          return {
            items: page.map(row => viewOf(row, secrets)),
            nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null,
          }
        }),
      ),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const { kind, provider, simulated = false, config = {}, enabled = true } = input
        if (simulated && !deps.simulators.available) throw new AppError('channel.no_simulator')
        if ((await repo.count(scope)) >= MOST) throw new AppError('channel.too_many', { params: { count: MOST } })
        const hidden = withoutEmpty(input.secrets ?? {})
        checked({ kind, provider, simulated }, config, hidden)
        const id = newId(ctx.now)
        const values = { name: input.name, config, secrets: secrets.seal(id, hidden), enabled }
        const row = await repo.insert(scope, id, { kind, provider, simulated }, values)
        if (!row) throw new AppError('channel.name_taken', { params: { name: input.name } })
        await note(scope, ctx, 'create', row, { after: shownOf(row, secrets) })
        return viewOf(row, secrets)
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => viewOf(await known(scope, id), secrets)),

    update: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const hidden = withoutEmpty({ ...secrets.open(id, before.secrets), ...input.secrets })
        const config = input.config ?? before.config
        checked(before, config, hidden)
        const name = input.name ?? before.name
        if (await repo.isTaken(scope, name, id)) throw new AppError('channel.name_taken', { params: { name } })
        const values = { name, config, secrets: secrets.seal(id, hidden), enabled: input.enabled ?? before.enabled }
        const row = await repo.update(scope, id, version, values)
        if (!row) throw new AppError('version.conflict', { params: { current: viewOf(before, secrets) } })
        await note(scope, ctx, 'update', row, { before: shownOf(before, secrets), after: shownOf(row, secrets) })
        return viewOf(row, secrets)
      }),

    async test(ctx, id, { to }) {
      const recordId = newId(ctx.now)
      await database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        const address = addressOf(row.kind, to ?? '')
        const { subject, text } = testWords(row.name, ctx.locale)
        await records.insert(
          scope,
          {
            id: recordId,
            alarmId: null,
            contactId: null,
            contactName: row.name,
            channel: row.kind,
            channelId: id,
            recipient: id,
            kind: 'test',
            address,
            locale: ctx.locale,
            title: subject,
            content: text,
          },
          new Date(deps.now() + 60_000),
        )
        await note(scope, ctx, 'test', row, { after: { to: address } })
      })
      await deps.sendNow(recordId)
      return await getRecord(database, ctx, recordId)
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        await repo.remove(scope, id)
        await note(scope, ctx, 'remove', row, { before: shownOf(row, secrets) })
        return { ok: true }
      }),
  }
}

/** An address that messages of a kind can go to; empty where the channel has one receiver. @throws AppError channel.address */
export function addressOf(kind: string, to: string): string {
  if (kind === 'email') {
    if (!/^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/.test(to)) throw new AppError('channel.address')
    return to
  }
  if (kind === 'sms' || kind === 'voice') {
    const phone = phoneOf(to)
    if (!phone) throw new AppError('contact.phone_wrong')
    return phone
  }
  const isOpenid = kind === 'wechat' || kind === 'applet'
  if (isOpenid && !/^[A-Za-z0-9_-]{6,64}$/.test(to)) throw new AppError('channel.address')
  return isOpenid ? to : ''
}

const withoutEmpty = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))

function isAddress(text: string, hosts: readonly string[] | undefined): boolean {
  try {
    const url = new URL(text)
    return url.protocol === 'https:' && url.username === '' && (hosts === undefined || hosts.includes(url.hostname))
  } catch {
    return false
  }
}

const shownOf = (row: repo.ChannelRow, secrets: ChannelSecrets) => ({
  name: row.name,
  kind: row.kind,
  provider: row.provider,
  config: row.config,
  secrets: Object.keys(secrets.open(row.id, row.secrets)),
  simulated: row.simulated,
  enabled: row.enabled,
})

function viewOf(row: repo.ChannelRow, secrets: ChannelSecrets): NotificationChannelView {
  const reports = row.kind === 'sms' || row.kind === 'voice'
  return {
    id: row.id,
    ...shownOf(row, secrets),
    fault: row.fault,
    callbackPath: reports ? `/callbacks/${row.provider}/${row.callbackId}` : null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}
