import { type VideoChannelView, videoChannelsContract } from '@thingwright/contracts/video.contract'
import { VIDEO_STATES } from '@thingwright/contracts/video.words'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './video.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const SHOWN = 20
const PAGE = '/manage/ezviz'

const listCameras = defineTool({
  name: 'list_cameras',
  class: 'read',
  permission: 'video:read',
  description:
    'Cameras with state, account and the device that they look at; all, by state, or by a part of a name, serial number or device.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name, a serial number or a device' })),
      state: Type.Optional(
        Type.Unsafe<VideoChannelView['state']>({ type: 'string', enum: [...VIDEO_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_cameras,
  async run(t, { q, state }) {
    const { items, total = 0 } = await t.call(videoChannelsContract.list, {
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
            { key: 'state', title: t.say('colState') },
            { key: 'device', title: t.say('colDevice') },
            { key: 'source', title: t.say('colSource') },
            { key: 'snapshot', title: t.say('colSnapshot') },
          ],
          rows: items.slice(0, SHOWN).map(camera => ({
            name: { text: camera.name, to: `${PAGE}?channel=${camera.id}` },
            state: { text: t.say(camera.state) },
            device: { text: camera.deviceName ?? '–' },
            source: { text: camera.accountName ?? t.say('address') },
            snapshot: { text: showTime(t, camera.snapshotAt) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, name, serial, state: is, deviceName }) => ({
          id,
          name,
          serial,
          state: is,
          device: deviceName,
        })),
      },
    }
  },
})

/** What the assistant and MCP can do with cameras. */
export const VIDEO_TOOLS: readonly Tool[] = [listCameras]
