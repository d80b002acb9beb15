import { type FirmwarePackageView, firmwareContract } from '@thingwright/contracts/firmware.contract'
import type { CampaignScope, CampaignState } from '@thingwright/contracts/firmware-schemas'
import { type OtaCampaignView, otaCampaignsContract } from '@thingwright/contracts/ota.contract'
import { Type } from 'typebox'
import { showBytes } from '../../lib/bytes.ts'
import { mention } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type Mention,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import words from './ota.tools.json' with { type: 'json' }

const PAGE = '/develop/FirmwareUpdate'
const PACKAGES = `${PAGE}?tab=packages`
const closed = { additionalProperties: false } as const
const Campaign = Type.Optional(Type.String({ maxLength: 64, description: 'Name of the campaign' }))
const Firmware = Type.Optional(
  Type.String({ maxLength: 160, description: 'The firmware package: its name, its version, or both' }),
)

const linkOf = (id: string) => `${PAGE}?id=${id}`
const linked = ({ id, name }: { id: string; name: string }): Mention => mention('campaign', id, name, linkOf(id))
const nameOf = (item: FirmwarePackageView) => `${item.name} ${item.version}`

/** A package; where the product is known, one of its. */
async function packageAsked(t: ToolContext, text: string | undefined, productId: string | null) {
  if (productId && text) {
    const { items } = await t.call(firmwareContract.list, { query: { productId, limit: 100 } })
    const version = text
      .trim()
      .replace(/^v(?=\d)/i, '')
      .toLowerCase()
    const fitting = items.filter(item =>
      [item.version.replace(/^v(?=\d)/i, ''), item.name, nameOf(item)].some(name => name.toLowerCase() === version),
    )
    if (fitting.length === 1) return fitting[0]!
  }
  const found = await t.find('firmware', text)
  return t.call(firmwareContract.get, { params: { id: found.id } })
}

const createCampaign = defineTool({
  name: 'create_campaign',
  class: 'control',
  permission: 'firmware:deploy',
  description:
    'Starts a firmware campaign now: brings devices of the package’s product (all, or those of a group) to its version. Says before how many devices that are. Stops itself when too many fail.',
  input: Type.Object(
    {
      firmware: Firmware,
      product: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the product' })),
      group: Type.Optional(Type.String({ maxLength: 64, description: 'Only devices of this group and below' })),
      name: Type.Optional(Type.String({ maxLength: 64, description: 'What the campaign is called' })),
    },
    closed,
  ),
  words: words.create_campaign,
  async prepare(t, input) {
    const product = input.product ? await t.find('product', input.product) : null
    const target = await packageAsked(t, input.firmware, product?.id ?? null)
    const firmware = nameOf(target)
    if (product && target.productId !== product.id)
      throw new ToolProblem(
        t.say('otherProduct', {
          firmware: quoted(firmware),
          of: quoted(target.productName),
          product: quoted(product.name),
        }),
      )
    const page = { title: t.say('firmwarePage'), to: PACKAGES }
    if (target.state === 'disabled') throw new ToolProblem(t.say('disabled', { firmware: quoted(firmware) }), page)
    const settings = await t.call(firmwareContract.settings, { params: { id: target.productId } })
    if (settings.requireVerified && target.state !== 'verified')
      throw new ToolProblem(t.say('unverified', { firmware: quoted(firmware) }), page)
    const group = input.group ? await t.find('group', input.group) : null
    const scope: CampaignScope = group ? { kind: 'group', groupIds: [group.id] } : { kind: 'all' }
    const seen = await t.call(otaCampaignsContract.preview, { body: { packageId: target.id, scope } })
    const numbers = { matching: seen.matching, upToDate: seen.upToDate, newer: seen.newer, noPath: seen.noPath }
    if (seen.targets === 0) throw new ToolProblem(t.say('noDevices', numbers))
    const name = (
      input.name?.trim() || t.say('defaultName', { product: target.productName, version: target.version })
    ).slice(0, 64)
    return {
      calls: [
        plannedCall(otaCampaignsContract.create, {
          body: { name, packageId: target.id, scope, autoStop: { failurePercent: 20, afterDevices: 10 } },
        }),
      ],
      effects: [
        t.say('effect', {
          scope: group
            ? t.say('ofGroup', { group: quoted(group.name) })
            : t.say('ofProduct', { product: quoted(target.productName) }),
          targets: seen.targets,
          version: quoted(target.version),
          bytes: showBytes(seen.totalBytes),
        }),
        ...(seen.targets < seen.matching ? [t.say('skipped', numbers)] : []),
        ...(seen.offline > 0 ? [t.say('offline', { count: seen.offline })] : []),
        t.say('autoStop'),
        t.say('proof'),
        t.say('notUndone'),
      ],
      changes: [{ field: t.say('field'), before: null, after: name }],
      object: mention('firmware', target.id, firmware, PACKAGES),
      memo: { targets: seen.targets },
    }
  },
  async finish(t, { results, memo }) {
    const campaign = results[0] as OtaCampaignView
    // Its devices are taken in after the answer.
    const { targets } = memo as { targets: number }
    return {
      result: {
        text: t.say('done', { name: quoted(campaign.name), count: targets }),
        cards: [{ kind: 'links', title: campaign.name, items: [{ title: t.say('page'), to: linkOf(campaign.id) }] }],
        mentions: [linked(campaign)],
        data: { id: campaign.id, state: campaign.state, total: targets },
      },
    }
  },
})

interface Way {
  /** Devices are told to update by it: as grave as a command. */
  class: 'write' | 'delete' | 'control'
  route: 'pause' | 'resume' | 'retry' | 'cancel'
  from: readonly CampaignState[]
  to: CampaignState
}

const failedOf = ({ counts }: OtaCampaignView) =>
  (counts.failed ?? 0) + (counts.timed_out ?? 0) + (counts.rejected ?? 0)
const notInstalling = ({ counts }: OtaCampaignView) =>
  ['to_confirm', 'pending', 'notified', 'downloading', 'downloaded', 'verified'].reduce(
    (sum, state) => sum + (counts[state] ?? 0),
    0,
  )

/** A step of a campaign's life. */
function stepTool(
  name: 'pause_campaign' | 'resume_campaign' | 'retry_campaign' | 'cancel_campaign',
  description: string,
  way: Way,
): Tool {
  return defineTool({
    name,
    class: way.class,
    permission: 'firmware:deploy',
    description,
    input: Type.Object({ campaign: Campaign }, closed),
    words: words[name],
    async prepare(t, input) {
      const found = await t.find('campaign', input.campaign)
      const campaign = await t.call(otaCampaignsContract.get, { params: { id: found.id } })
      const state = t.say(`cs_${campaign.state}`)
      if (!way.from.includes(campaign.state))
        throw new ToolProblem(t.say('wrongState', { name: quoted(campaign.name), state }))
      const count = way.route === 'retry' ? failedOf(campaign) : notInstalling(campaign)
      if (way.route === 'retry' && count === 0) throw new ToolProblem(t.say('none', { name: quoted(campaign.name) }))
      return {
        calls: [plannedCall(otaCampaignsContract[way.route], { params: { id: campaign.id } })],
        effects: [t.say('effect', { count }), ...(way.class === 'delete' ? [t.say('forGood')] : [])],
        changes:
          way.route === 'retry' ? [] : [{ field: t.say('stateField'), before: state, after: t.say(`cs_${way.to}`) }],
        object: linked(campaign),
      }
    },
    async finish(t, { results }) {
      const campaign = results[0] as OtaCampaignView
      return {
        result: {
          text: t.say('done', { name: quoted(campaign.name) }),
          mentions: [linked(campaign)],
          data: { id: campaign.id, state: campaign.state },
        },
      }
    },
  })
}

const deleteFirmware = defineTool({
  name: 'delete_firmware',
  class: 'delete',
  permission: 'firmware:write',
  description: 'Deletes a firmware package that no campaign has.',
  input: Type.Object({ firmware: Firmware }, closed),
  words: words.delete_firmware,
  async prepare(t, input) {
    const item = await packageAsked(t, input.firmware, null)
    if (item.campaigns > 0)
      throw new ToolProblem(t.say('inUse', { firmware: quoted(nameOf(item)), count: item.campaigns }), {
        title: t.say('page'),
        to: PACKAGES,
      })
    return {
      calls: [plannedCall(firmwareContract.remove, { params: { id: item.id } })],
      effects: [
        t.say('effect', { file: quoted(item.fileName), size: showBytes(item.size) }),
        ...(item.devices > 0 ? [t.say('stillRun', { count: item.devices })] : []),
      ],
      changes: [{ field: t.say('field'), before: nameOf(item), after: null }],
      object: mention('firmware', item.id, nameOf(item), PACKAGES),
      memo: { name: nameOf(item) },
    }
  },
  async finish(t, { memo }) {
    return { result: { text: t.say('done', { firmware: quoted((memo as { name: string }).name) }) } }
  },
})

export const campaignTools: readonly Tool[] = [
  createCampaign,
  stepTool('pause_campaign', 'Tells no further device of a running campaign; those on their way go on.', {
    class: 'write',
    route: 'pause',
    from: ['running', 'scheduled'],
    to: 'paused',
  }),
  stepTool('resume_campaign', 'Goes on with a paused campaign, or one that stopped itself.', {
    class: 'control',
    route: 'resume',
    from: ['paused', 'stopped'],
    to: 'running',
  }),
  stepTool('retry_campaign', 'Lets every device that failed, timed out or refused try once more.', {
    class: 'control',
    route: 'retry',
    from: ['running', 'paused', 'stopped', 'completed'],
    to: 'running',
  }),
  stepTool('cancel_campaign', 'Ends a campaign for good; devices that are not yet installing are told nothing more.', {
    class: 'delete',
    route: 'cancel',
    from: ['scheduled', 'running', 'paused', 'stopped'],
    to: 'cancelled',
  }),
  deleteFirmware,
]
