import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { firmwareContract } from '@thingwright/contracts/firmware.contract'
import type { CampaignState, FirmwareState } from '@thingwright/contracts/firmware-schemas'
import type { OtaCampaignView, OtaReport } from '@thingwright/contracts/ota.contract'
import { otaCampaignsContract, otaJobsContract } from '@thingwright/contracts/ota.contract'
import { Type } from 'typebox'
import { showBytes } from '../../lib/bytes.ts'
import { isUuid } from '../../lib/ids.ts'
import { bestOf, listed, mention, NOTHING, same, showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type EntityFinder,
  type Mention,
  quoted,
  type Tool,
  type ToolContext,
} from '../../lib/tools/tools.ts'
import { campaignTools } from './campaign-changes.tools.ts'
import words from './ota.tools.json' with { type: 'json' }

const PAGE = '/develop/FirmwareUpdate'
const PACKAGES = `${PAGE}?tab=packages`
const SHOWN = 20
const closed = { additionalProperties: false } as const
const Product = Type.Optional(Type.String({ maxLength: 64, description: 'Name or key of the product' }))

export const firmwareMention = (item: FirmwarePackageView): Mention =>
  mention('firmware', item.id, `${item.name} ${item.version}`, PACKAGES)
const campaignMention = (item: OtaCampaignView): Mention =>
  mention('campaign', item.id, item.name, `${PAGE}?id=${item.id}`)

/** Packages by name, version, or both. */
export const firmwareFinder: EntityFinder = {
  kind: 'firmware',
  async find(call, text, limit) {
    if (isUuid(text)) return [firmwareMention(await call(firmwareContract.get, { params: { id: text } }))]
    // Few and found by a version as well: those of the search, else all that a version may be among.
    const { items } = await call(firmwareContract.list, { query: { limit: 100 } })
    const bare = text.trim().replace(/^(version|\u7248\u672c)\s*/iu, '')
    const needle = bare.normalize('NFKC').toLowerCase()
    const namesOf = (item: FirmwarePackageView) => [
      `${item.name} ${item.version}`,
      item.name,
      item.version,
      `v${item.version}`,
      `${item.productName} ${item.version}`,
    ]
    const near = items.filter(item => namesOf(item).some(name => name.toLowerCase().includes(needle)))
    return bestOf(near, bare, limit, namesOf).map(firmwareMention)
  },
}

/** Campaigns by their name or a part of it, the newest first. */
export const campaignFinder: EntityFinder = {
  kind: 'campaign',
  async find(call, text, limit) {
    if (isUuid(text)) return [campaignMention(await call(otaCampaignsContract.get, { params: { id: text } }))]
    const { items } = await call(otaCampaignsContract.list, { query: { ...(text ? { q: text } : {}), limit: 50 } })
    return bestOf(items, text, limit, item => [item.name]).map(campaignMention)
  },
}

const listFirmware = defineTool({
  name: 'list_firmware',
  class: 'read',
  permission: 'firmware:read',
  description:
    'Lists firmware packages with version, product, state of verification, size and how many devices run them.',
  input: Type.Object(
    {
      product: Product,
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name or version' })),
      state: Type.Optional(
        Type.Unsafe<FirmwareState>({
          type: 'string',
          enum: ['unverified', 'verifying', 'verified', 'verification_failed', 'disabled'],
          description: 'State of the package',
        }),
      ),
    },
    closed,
  ),
  words: words.list_firmware,
  async run(t, input) {
    const product = input.product ? await t.find('product', input.product) : null
    const { items, total = 0 } = await t.call(firmwareContract.list, {
      query: {
        ...(product ? { productId: product.id } : {}),
        ...(input.q ? { q: input.q } : {}),
        ...(input.state ? { state: input.state } : {}),
        sort: '-createdAt',
        limit: SHOWN,
        total: '1',
      },
    })
    const about = product ? t.say('of', { product: quoted(product.name) }) : ''
    if (items.length === 0) return { text: t.say('none', { about }), data: { total: 0, items: [] } }
    const newest = product ? items.toSorted((a, b) => b.orderNo - a.orderNo)[0]! : null
    return {
      text: [
        t.say('count', { count: total, about }),
        ...(newest
          ? [
              t.say('latest', {
                name: quoted(newest.name),
                version: quoted(newest.version),
                state: t.say(`ps_${newest.state}`),
                size: showBytes(newest.size),
              }),
            ]
          : []),
      ].join('\n'),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'version', title: t.say('colVersion') },
            { key: 'product', title: t.say('colProduct') },
            { key: 'state', title: t.say('colState') },
            { key: 'size', title: t.say('colSize'), numeric: true },
            { key: 'devices', title: t.say('colDevices'), numeric: true },
          ],
          rows: items.map(item => ({
            name: { text: item.name, to: PACKAGES },
            version: { text: item.version },
            product: { text: item.productName },
            state: { text: t.say(`ps_${item.state}`) },
            size: { text: showBytes(item.size) },
            devices: { text: String(item.devices) },
          })),
          total,
          link: { title: t.say('page'), to: PACKAGES },
        },
      ],
      data: {
        total,
        items: items.map(({ id, name, version, productName, module, kind, state, size, orderNo, devices }) => ({
          id,
          name,
          version,
          productName,
          module,
          kind,
          state,
          size,
          orderNo,
          devices,
        })),
      },
      mentions: [...(items.length === 1 ? [firmwareMention(items[0]!)] : []), ...(product ? [product] : [])],
    }
  },
})

const firmwareVersions = defineTool({
  name: 'firmware_versions',
  class: 'read',
  permission: 'firmware:read',
  description: 'How many devices run which firmware version, by product and module; with `version` those on that one.',
  input: Type.Object(
    { product: Product, version: Type.Optional(Type.String({ maxLength: 64, description: 'Firmware version' })) },
    closed,
  ),
  words: words.firmware_versions,
  async run(t, input) {
    const product = input.product ? await t.find('product', input.product) : null
    const all = await t.call(firmwareContract.versions, { query: product ? { productId: product.id } : {} })
    const about = product ? t.say('of', { product: quoted(product.name) }) : ''
    const version = input.version?.trim().replace(/^v(?=\d)/i, '')
    const items = version
      ? all.items.filter(item => same(item.version?.replace(/^v(?=\d)/i, ''), version))
      : all.items.toSorted((a, b) => b.devices - a.devices)
    if (items.length === 0)
      return { text: version ? t.say('noneOn', { version: quoted(version) }) : t.say('none'), data: { items: [] } }
    const count = items.reduce((sum, item) => sum + item.devices, 0)
    const online = items.reduce((sum, item) => sum + item.online, 0)
    const top = items[0]!
    return {
      text: version
        ? t.say('count', { about, count, online, version: quoted(version) })
        : t.say('all', {
            about,
            count,
            versions: items.length,
            top: quoted(top.version ?? t.say('unknown')),
            n: top.devices,
          }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'product', title: t.say('colProduct') },
            { key: 'module', title: t.say('colModule') },
            { key: 'version', title: t.say('colVersion') },
            { key: 'devices', title: t.say('colDevices'), numeric: true },
            { key: 'online', title: t.say('colOnline'), numeric: true },
          ],
          rows: items.slice(0, 50).map(item => ({
            product: { text: item.productName },
            module: { text: item.module },
            version: { text: item.version ?? t.say('unknown') },
            devices: { text: String(item.devices) },
            online: { text: String(item.online) },
          })),
          total: items.length,
          link: { title: t.say('page'), to: `${PAGE}?tab=versions` },
        },
      ],
      data: {
        devices: count,
        online,
        items: items.slice(0, 50).map(item => ({
          product: item.productName,
          module: item.module,
          version: item.version,
          devices: item.devices,
          online: item.online,
        })),
      },
      mentions: product ? [product] : [],
    }
  },
})

const deviceFirmware = defineTool({
  name: 'device_firmware',
  class: 'read',
  permission: 'firmware:read',
  description: 'Which firmware a device runs, and its updates on the way or at their end with the reason of a failure.',
  input: Type.Object(
    { device: Type.Optional(Type.String({ maxLength: 64, description: 'Name, number or id of the device' })) },
    closed,
  ),
  words: words.device_firmware,
  async run(t, input) {
    const device = await t.find('device', input.device)
    const { modules, jobs } = await t.call(otaJobsContract.device, { params: { id: device.id }, query: { limit: 1 } })
    const name = quoted(device.name)
    const jobLines = jobs.slice(0, 5).map(job =>
      t.say('job', {
        version: quoted(job.toVersion),
        state: t.say(`js_${job.state}`),
        percent: job.finishedAt ? '' : t.say('percent', { n: job.percent }),
        campaign: quoted(job.campaignName),
        error: job.errorCode ? t.say('error', { text: errorText(t, job.errorCode) }) : '',
      }),
    )
    const lines = [
      modules.length === 0 ? t.say('none', { device: name }) : t.say('head', { device: name }),
      ...modules.map(one =>
        t.say('line', { module: quoted(one.module), version: quoted(one.version), at: showTime(t, one.reportedAt) }),
      ),
      ...jobLines,
    ]
    const to = `/manage/device/DeviceSet/DeviceCenter?id=${device.id}&tab=firmware`
    return {
      text: lines.join('\n'),
      cards: [{ kind: 'links', title: device.name, items: [{ title: t.say('page'), to }] }],
      data: {
        device: device.name,
        modules: modules.map(({ module, version, reportedAt }) => ({ module, version, reportedAt })),
        updates: jobs.slice(0, 5).map(({ toVersion, state, percent, errorCode, campaignName }) => ({
          toVersion,
          state,
          percent,
          errorCode,
          campaignName,
        })),
      },
      mentions: [device],
    }
  },
})

/** Why an update failed, in words; what has none yet stands for itself. */
function errorText(t: ToolContext, code: string): string {
  try {
    return t.say(`err_${code}`)
  } catch {
    return quoted(code)
  }
}

const FAILED = ['failed', 'timed_out', 'rejected'] as const
const failedOf = (counts: Record<string, number>) => FAILED.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
const openOf = (item: OtaCampaignView) =>
  item.total -
  failedOf(item.counts) -
  (item.counts.succeeded ?? 0) -
  (item.counts.cancelled ?? 0) -
  (item.counts.superseded ?? 0)

const listCampaigns = defineTool({
  name: 'list_campaigns',
  class: 'read',
  permission: 'firmware:read',
  description: 'Lists firmware campaigns, newest first, with state and how many devices succeeded or failed.',
  input: Type.Object(
    {
      product: Product,
      state: Type.Optional(
        Type.Unsafe<CampaignState>({
          type: 'string',
          enum: ['scheduled', 'running', 'paused', 'stopped', 'completed', 'cancelled'],
          description: 'State of the campaign',
        }),
      ),
    },
    closed,
  ),
  words: words.list_campaigns,
  async run(t, input) {
    const product = input.product ? await t.find('product', input.product) : null
    const { items, total = 0 } = await t.call(otaCampaignsContract.list, {
      query: {
        ...(product ? { productId: product.id } : {}),
        ...(input.state ? { state: input.state } : {}),
        limit: SHOWN,
        total: '1',
      },
    })
    const about = [
      product ? t.say('of', { product: quoted(product.name) }) : '',
      input.state ? t.say('about', { state: t.say(`cs_${input.state}`) }) : '',
    ].join('')
    if (items.length === 0) return { text: t.say('none', { about }), data: { total: 0, items: [] } }
    return {
      text: t.say('count', { count: total, about }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'product', title: t.say('colProduct') },
            { key: 'version', title: t.say('colVersion') },
            { key: 'state', title: t.say('colState') },
            { key: 'done', title: t.say('colDone'), numeric: true },
            { key: 'failed', title: t.say('colFailed'), numeric: true },
          ],
          rows: items.map(item => ({
            name: { text: item.name, to: `${PAGE}?id=${item.id}` },
            product: { text: item.productName },
            version: { text: item.version },
            state: { text: t.say(`cs_${item.state}`) },
            done: { text: `${item.counts.succeeded ?? 0} / ${item.total}` },
            failed: { text: String(failedOf(item.counts)) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.map(item => ({
          id: item.id,
          name: item.name,
          product: item.productName,
          version: item.version,
          state: item.state,
          total: item.total,
          counts: item.counts,
        })),
      },
      mentions: items.length === 1 ? [campaignMention(items[0]!)] : [],
    }
  },
})

const campaignProgress = defineTool({
  name: 'campaign_progress',
  class: 'read',
  permission: 'firmware:read',
  description:
    'How far a firmware campaign is: devices by state, failure rate, reasons of failures, which devices failed.',
  input: Type.Object(
    { campaign: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the campaign' })) },
    closed,
  ),
  words: words.campaign_progress,
  async run(t, input) {
    const found = await t.find('campaign', input.campaign)
    const report = await t.call(otaCampaignsContract.report, { params: { id: found.id } })
    const { campaign } = report
    const failed = failedOf(campaign.counts)
    const jobs = failed > 0 ? await failedJobs(t, campaign.id) : []
    const why = campaign.stateReason ? t.say('why', { text: reasonText(t, campaign.stateReason) }) : ''
    const lines = [
      t.say('head', {
        name: quoted(campaign.name),
        product: quoted(campaign.productName),
        version: quoted(campaign.version),
        state: t.say(`cs_${campaign.state}`),
        why,
      }),
      t.say('numbers', { total: campaign.total, ok: campaign.counts.succeeded ?? 0, failed, open: openOf(campaign) }),
      ...(campaign.failurePercent === null ? [] : [t.say('rate', { percent: round(campaign.failurePercent) })]),
      ...(report.medianSeconds === null ? [] : [t.say('times', { time: spanOf(t, report.medianSeconds) })]),
      ...errorLine(t, report),
      ...timeLines(t, campaign),
    ]
    const link = { title: t.say('page'), to: `${PAGE}?id=${campaign.id}` }
    return {
      text: lines.join('\n'),
      cards:
        jobs.length === 0
          ? [{ kind: 'links', title: campaign.name, items: [link] }]
          : [
              {
                kind: 'table',
                title: t.say('failures'),
                columns: ['Device', 'From', 'State', 'Reason'].map(key => ({ key, title: t.say(`col${key}`) })),
                rows: jobs.map(job => ({
                  Device: { text: job.deviceName, to: `/manage/device/DeviceSet/DeviceCenter?id=${job.deviceId}` },
                  From: { text: job.fromVersion ?? NOTHING },
                  State: { text: t.say(`js_${job.state}`) },
                  Reason: { text: job.message || (job.errorCode ? errorText(t, job.errorCode) : NOTHING) },
                })),
                total: failed,
                link,
              },
            ],
      data: {
        id: campaign.id,
        name: campaign.name,
        state: campaign.state,
        stateReason: campaign.stateReason,
        total: campaign.total,
        counts: campaign.counts,
        failurePercent: campaign.failurePercent,
        medianSeconds: report.medianSeconds,
        errors: report.errors,
        failedDevices: jobs.map(job => ({ device: job.deviceName, state: job.state, reason: job.errorCode })),
      },
      mentions: [campaignMention(campaign)],
    }
  },
})

async function failedJobs(t: ToolContext, campaignId: string) {
  const pages = await Promise.all(
    FAILED.map(state => t.call(otaJobsContract.list, { query: { campaignId, state, limit: 10 } })),
  )
  return pages.flatMap(page => page.items).slice(0, 10)
}

const round = (value: number) => Math.round(value * 10) / 10

function spanOf(t: ToolContext, seconds: number): string {
  return seconds < 120 ? t.say('seconds', { n: Math.round(seconds) }) : t.say('minutes', { n: round(seconds / 60) })
}

function reasonText(t: ToolContext, reason: string): string {
  try {
    return t.say(`why_${reason}`)
  } catch {
    return quoted(reason)
  }
}

function errorLine(t: ToolContext, report: OtaReport): string[] {
  if (report.errors.length === 0) return []
  const errors = report.errors
    .slice(0, 5)
    .map(({ state, errorCode, count }) =>
      t.say('error', { text: errorCode ? errorText(t, errorCode) : t.say(`js_${state}`), count }),
    )
  return [t.say('errors', { errors: listed(t, errors) })]
}

function timeLines(t: ToolContext, campaign: OtaCampaignView): string[] {
  if (campaign.endedAt) return [t.say('ended', { at: showTime(t, campaign.endedAt) })]
  if (campaign.startedAt) return [t.say('started', { at: showTime(t, campaign.startedAt) })]
  return campaign.startAt ? [t.say('starts', { at: showTime(t, campaign.startAt) })] : []
}

export const otaTools: readonly Tool[] = [
  listFirmware,
  firmwareVersions,
  deviceFirmware,
  listCampaigns,
  campaignProgress,
  ...campaignTools,
]
