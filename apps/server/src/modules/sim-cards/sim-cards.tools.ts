import { type CardAction, type SimCardView, simCardsContract } from '@thingwright/contracts/sim-cards.contract'
import { CARD_STATES } from '@thingwright/contracts/sim-cards.words'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  plannedCall,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import words from './sim-cards.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const SHOWN = 20
const pageOf = (card: Pick<SimCardView, 'carrier'>, id?: string) =>
  `/flowCard/${card.carrier === 'cmcc' ? 'Cmcc' : 'Ctcc'}FlowCard${id === undefined ? '' : `?card=${id}`}`
const sizeOf = (kb: number | null) =>
  kb === null ? '–' : kb >= 1024 * 1024 ? `${(kb / 1024 / 1024).toFixed(2)} GB` : `${(kb / 1024).toFixed(1)} MB`

const listSimCards = defineTool({
  name: 'list_sim_cards',
  class: 'read',
  permission: 'sim-card:read',
  description:
    'SIM cards with state, usage of this month and the device they are in; all, by state, or by a part of a number.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a number, of a device or a remark' })),
      state: Type.Optional(
        Type.Unsafe<SimCardView['state']>({ type: 'string', enum: [...CARD_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_sim_cards,
  async run(t, { q, state }) {
    const { items, total = 0 } = await t.call(simCardsContract.list, {
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
            { key: 'iccid', title: t.say('colCard') },
            { key: 'state', title: t.say('colState') },
            { key: 'usage', title: t.say('colUsage') },
            { key: 'device', title: t.say('colDevice') },
            { key: 'synced', title: t.say('colSynced') },
          ],
          rows: items.slice(0, SHOWN).map(card => ({
            iccid: { text: card.iccid, to: pageOf(card, card.id) },
            state: { text: t.say(card.state) },
            usage: { text: card.planKb ? `${sizeOf(card.monthKb)} / ${sizeOf(card.planKb)}` : sizeOf(card.monthKb) },
            device: { text: card.deviceName ?? '–' },
            synced: { text: showTime(t, card.syncedAt) },
          })),
          total,
          link: { title: t.say('page'), to: pageOf(items[0]!) },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, iccid, state: is, monthKb, planKb, deviceName }) => ({
          id,
          iccid,
          state: is,
          monthKb,
          planKb,
          device: deviceName,
        })),
      },
    }
  },
})

/** The one card that a number or a device means; asks which where it means several. */
async function cardOf(t: ToolContext, text: string | undefined): Promise<SimCardView> {
  if (!text) throw new ToolQuestion(t.say('which'), 'card', [])
  const { items } = await t.call(simCardsContract.list, { query: { limit: 20, q: text } })
  if (items.length === 0) throw new ToolProblem(t.say('none'))
  if (items.length === 1) return items[0]!
  throw new ToolQuestion(
    t.say('which'),
    'card',
    items.map(card => ({ label: [card.iccid, card.deviceName].filter(Boolean).join(' · '), value: card.iccid })),
  )
}

/** A change of one card at its carrier. */
const changing = (name: 'stop_sim_card' | 'resume_sim_card', action: CardAction) =>
  defineTool({
    name,
    class: 'control',
    permission: 'sim-card:operate',
    description:
      action === 'stop'
        ? 'Asks the carrier to stop a SIM card: it passes no data from then on. Always asks before.'
        : 'Asks the carrier to resume a SIM card that was stopped. Always asks before.',
    input: Type.Object(
      {
        card: Type.Optional(Type.String({ maxLength: 64, description: 'ICCID or number of the card, or its device' })),
      },
      closed,
    ),
    words: words[name],
    async prepare(t, { card: text }) {
      const card = await cardOf(t, text)
      if (!card.allowed.includes(action)) throw new ToolProblem(t.say('notNow', { iccid: card.iccid }))
      return {
        calls: [plannedCall(simCardsContract.operate, { params: { id: card.id }, body: { action } })],
        effects: [t.say('effect', { iccid: card.iccid, device: card.deviceName ?? '–' })],
        changes: [],
        memo: { iccid: card.iccid, to: pageOf(card, card.id) },
      }
    },
    async finish(t, { memo }) {
      const { iccid, to } = memo as { iccid: string; to: string }
      return {
        result: {
          text: t.say('queued', { iccid }),
          cards: [{ kind: 'links' as const, title: iccid, items: [{ title: t.say('page'), to }] }],
          data: { iccid },
        },
      }
    },
  })

export const simCardsTools: readonly Tool[] = [
  listSimCards,
  changing('stop_sim_card', 'stop'),
  changing('resume_sim_card', 'resume'),
]
