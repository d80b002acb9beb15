import { type CommandView, commandsContract } from '@thingwright/contracts/commands.contract'
import { COMMAND_STATES } from '@thingwright/contracts/commands.words'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import type { ThingModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { linkTo, momentText, pages, said, strong, toolInput, withCommonTexts } from '../../lib/tools/thing-kit.ts'
import { defineTool, quoted, type Tool, type ToolContext, type ToolResult } from '../../lib/tools/tools.ts'
import { modelOf, nameOf, valueText } from '../products/index.ts'
import commandWords from './command-words.json' with { type: 'json' }
import words from './commands.tools.json' with { type: 'json' }

const whichDevice = said('Name, number or id of the device')
const ROWS = 20
const FAILED: ReadonlySet<CommandView['state']> = new Set(['rejected', 'timed_out', 'expired', 'failed'])

/** A command's state in words. */
export function stateOf(t: ToolContext, { state }: Pick<CommandView, 'state'>): string {
  return commandWords[t.locale].states[state]
}

/** Why it ended as it did; empty where there is nothing to say. Of data: safe in markdown. */
export function reasonOf(
  t: ToolContext,
  { errorCode, errorMessage }: Pick<CommandView, 'errorCode' | 'errorMessage'>,
): string {
  const reasons: Record<string, string> = commandWords[t.locale].reasons
  const word = errorCode === null ? '' : (reasons[errorCode] ?? errorCode)
  return [word, errorMessage ?? '']
    .filter(part => part !== '')
    .map(quoted)
    .join(' — ')
}

/** What was sent, in words of the model: `温度设定 = 22 ℃`. */
function contentOf(t: ToolContext, model: ThingModel, { kind, identifier, params, template }: CommandView): string {
  if (template) return template.name
  if (kind === 'property_set')
    return Object.entries(params)
      .map(([key, value]) => {
        const property = model.properties.find(each => each.identifier === key)
        return property
          ? `${nameOf(property, t.locale)} = ${valueText(property, value, t.locale)}`
          : `${key} = ${JSON.stringify(value)}`
      })
      .join(', ')
  if (kind === 'service') {
    const service = model.services.find(each => each.identifier === identifier)
    const given = Object.keys(params).length > 0 ? ` ${JSON.stringify(params)}` : ''
    return `${service ? nameOf(service, t.locale) : (identifier ?? '')}${given}`.slice(0, 160)
  }
  return `${kind} ${JSON.stringify(params)}`.slice(0, 160)
}

async function commandsOf(
  t: ToolContext,
  text: string | undefined,
  query: { state?: CommandView['state']; limit: number },
) {
  const device = await t.find('device', text)
  const [{ items }, { model }] = await Promise.all([
    t.call(commandsContract.list, { params: { id: device.id }, query }),
    t.call(thingModelsContract.deviceModel, { params: { id: device.id } }),
  ])
  return { device, items, model: modelOf(model) }
}

const listCommands = defineTool({
  name: 'list_commands',
  class: 'read',
  permission: 'device:read',
  tellsValues: true,
  description:
    'The last commands of a device, newest first: what was sent, by whom, its state and why it failed. Narrowed by state.',
  input: toolInput({
    device: whichDevice,
    state: Type.Optional(
      Type.Unsafe<CommandView['state']>({
        type: 'string',
        enum: [...COMMAND_STATES],
        description: 'Only commands in this state',
      }),
    ),
  }),
  words: withCommonTexts(words.list_commands),
  async run(t, input): Promise<ToolResult> {
    const { device, items, model } = await commandsOf(t, input.device, {
      limit: ROWS,
      ...(input.state ? { state: input.state } : {}),
    })
    const values = {
      name: strong(device.name),
      count: items.length,
      state: input.state ? stateOf(t, { state: input.state }) : '',
    }
    if (items.length === 0)
      return { text: t.say(input.state ? 'noneSo' : 'none', values), data: { commands: [] }, mentions: [device] }
    return {
      text: t.say(input.state ? 'someSo' : 'some', {
        ...values,
        last: quoted(contentOf(t, model, items[0]!)),
        lastState: stateOf(t, items[0]!),
      }),
      cards: [
        {
          kind: 'table',
          title: t.say('title', { name: device.name }),
          columns: [
            { key: 'at', title: t.say('time') },
            { key: 'what', title: t.say('what') },
            { key: 'state', title: t.say('state') },
            { key: 'by', title: t.say('by') },
            { key: 'why', title: t.say('reason') },
          ],
          rows: items.map(command => ({
            at: { text: momentText(t, command.createdAt) },
            what: { text: contentOf(t, model, command) },
            state: { text: stateOf(t, command) },
            by: { text: command.operatorName },
            why: { text: plainReason(t, command) },
          })),
          link: { title: t.say('openCommands'), to: pages.device(device.id, 'commands') },
        },
      ],
      data: items.slice(0, 15).map(command => ({
        at: command.createdAt,
        what: contentOf(t, model, command),
        state: command.state,
        reason: plainReason(t, command),
      })),
      mentions: [device],
    }
  },
})

/** As {@link reasonOf}, for cells, which are plain text. */
function plainReason(t: ToolContext, { errorCode, errorMessage }: CommandView): string {
  const reasons: Record<string, string> = commandWords[t.locale].reasons
  return [errorCode === null ? '' : (reasons[errorCode] ?? errorCode), errorMessage ?? '']
    .filter(part => part !== '')
    .join(' — ')
}

const whyCommandFailed = defineTool({
  name: 'why_command_failed',
  class: 'read',
  permission: 'device:read',
  tellsValues: true,
  description:
    'Why the last command of a device failed (refused, no reply, expired …), with what to do about it; or that it did not fail, or is still waiting.',
  input: toolInput({ device: whichDevice }),
  words: withCommonTexts(words.why_command_failed),
  async run(t, input): Promise<ToolResult> {
    const { device, items, model } = await commandsOf(t, input.device, { limit: 50 })
    const links = [
      linkTo(t.say('openCommands'), pages.device(device.id, 'commands')),
      linkTo(t.say('openDoctor'), pages.device(device.id, 'diagnose')),
    ].join(' · ')
    const name = strong(device.name)
    const [last] = items
    if (!last) return { text: t.say('none', { name }), data: { commands: 0 }, mentions: [device] }
    const failed = items.find(({ state }) => FAILED.has(state))
    const open = items.filter(({ state }) => ['queued', 'sent', 'delivered'].includes(state))
    if (!failed) {
      const values = {
        name,
        last: quoted(contentOf(t, model, last)),
        state: stateOf(t, last),
        count: open.length,
        links,
      }
      return {
        text: t.say(open.length > 0 ? 'stillOpen' : 'allWell', values),
        data: { failed: null, open: open.length },
        mentions: [device],
      }
    }
    const advice = `advice_${failed.state}`
    return {
      text: [
        t.say('failed', {
          name,
          what: quoted(contentOf(t, model, failed)),
          at: momentText(t, failed.createdAt),
          state: stateOf(t, failed),
          reason: reasonOf(t, failed) || t.say('noReason'),
        }),
        t.say(failed.errorCode === 'not_read_back' ? 'advice_not_read_back' : advice),
        ...(open.length > 0 ? [t.say('alsoOpen', { count: open.length })] : []),
        links,
      ].join('\n\n'),
      data: {
        what: contentOf(t, model, failed),
        at: failed.createdAt,
        state: failed.state,
        reason: plainReason(t, failed),
        open: open.length,
      },
      mentions: [device],
    }
  },
})

/** What can be asked about commands. */
export const commandLogTools: readonly Tool[] = [listCommands, whyCommandFailed]
