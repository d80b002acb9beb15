import { CONNECTION_STATES } from '@thingwright/contracts/sim-cards.words'
import { type TelecomKeyView, telecomContract } from '@thingwright/contracts/telecom.contract'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './telecom.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const SHOWN = 20
const PAGE = '/manage/tel'

const listTelecomKeys = defineTool({
  name: 'list_telecom_keys',
  class: 'read',
  permission: 'telecom-key:read',
  description:
    'Telecom keys (CTWing AEP, OneNET) with state, devices and refused callbacks; all, by state, or by a part of a name. Never their secrets.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name or of an account' })),
      state: Type.Optional(
        Type.Unsafe<TelecomKeyView['state']>({ type: 'string', enum: [...CONNECTION_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_telecom_keys,
  async run(t, { q, state }) {
    const { items, total = 0 } = await t.call(telecomContract.list, {
      query: { limit: 50, total: '1', ...(q ? { q } : {}), ...(state ? { state } : {}) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'platform', title: t.say('colPlatform') },
            { key: 'state', title: t.say('colState') },
            { key: 'devices', title: t.say('colDevices') },
            { key: 'refused', title: t.say('colRefused') },
            { key: 'verified', title: t.say('colVerified') },
          ],
          rows: items.slice(0, SHOWN).map(key => ({
            name: { text: key.name, to: PAGE },
            platform: { text: t.say(key.platform) },
            state: {
              text: key.fault && key.state === 'failed' ? `${t.say('failed')}: ${key.fault.text}` : t.say(key.state),
            },
            devices: { text: String(key.devices) },
            refused: { text: String(key.refused) },
            verified: { text: showTime(t, key.verifiedAt) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, name, platform, state: is, fault, devices, refused, verifiedAt }) => ({
          id,
          name,
          platform,
          state: is,
          fault,
          devices,
          refused,
          verifiedAt,
        })),
      },
    }
  },
})

/** What the assistant and MCP can say of telecom keys. */
export const TELECOM_TOOLS: readonly Tool[] = [listTelecomKeys]
