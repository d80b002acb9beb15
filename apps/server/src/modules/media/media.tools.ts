import { type MediaKind, mediaContract } from '@thingwright/contracts/media.contract'
import { Type } from 'typebox'
import { showBytes } from '../../lib/bytes.ts'
import { listAt, showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './media.tools.json' with { type: 'json' }

const PAGE = '/admin/material'

const findMaterials = defineTool({
  name: 'find_materials',
  class: 'read',
  permission: 'media:read',
  description:
    'Finds materials (pictures, drawings, sounds, videos, files) by a part of their name and by kind; says how much room is taken.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the name' })),
      kind: Type.Optional(
        Type.Unsafe<MediaKind>({
          type: 'string',
          enum: ['image', 'svg', 'audio', 'video', 'file'],
          description: 'Kind',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  words: words.find_materials,
  async run(t, { q, kind }) {
    const { items, total = 0 } = await t.call(mediaContract.list, {
      query: { ...(q ? { q } : {}), ...(kind ? { kind } : {}), limit: 20, total: '1' },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    const { usedBytes, quotaBytes } = await t.call(mediaContract.usage, {})
    const limit = quotaBytes === null ? '' : t.say('of', { size: showBytes(quotaBytes) })
    return {
      text: t.say('count', { count: total, used: showBytes(usedBytes), limit }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'kind', title: t.say('colKind') },
            { key: 'size', title: t.say('colSize'), numeric: true },
            { key: 'uses', title: t.say('colUses'), numeric: true },
            { key: 'at', title: t.say('colAt') },
          ],
          rows: items.map(item => ({
            name: { text: item.name, to: listAt(PAGE, item.name) },
            kind: { text: t.say(item.kind) },
            size: { text: showBytes(item.size) },
            uses: { text: String(item.uses) },
            at: { text: showTime(t, item.createdAt) },
          })),
          total,
          link: { title: t.say('page'), to: q ? listAt(PAGE, q) : PAGE },
        },
      ],
      data: {
        total,
        usedBytes,
        quotaBytes,
        items: items.map(({ id, name, kind, size, uses }) => ({ id, name, kind, size, uses })),
      },
    }
  },
})

export const mediaTools: readonly Tool[] = [findMaterials]
