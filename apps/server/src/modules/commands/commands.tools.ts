import { setTimeout } from 'node:timers/promises'
import { type CommandView, commandsContract } from '@thingwright/contracts/commands.contract'
import type { Property, ThingService } from '@thingwright/thing-model'
import { Type } from 'typebox'
import {
  agoText,
  enumerated,
  linkTo,
  pages,
  said,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import {
  type ChangeTool,
  defineTool,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import { deviceMention } from '../devices/index.ts'
import { nameOf, partsNamed, settable, valueText } from '../products/index.ts'
import { batchTools } from './command-batch.tools.ts'
import { commandLogTools, reasonOf, stateOf } from './command-log.tools.ts'
import { type CommandTarget, commandTarget, passGuards, refuseBadValues, shown, valueFor } from './command-target.ts'
import words from './commands.tools.json' with { type: 'json' }
import { propertyToSet, saidValue } from './set-property.ts'

const whichDevice = said('Name, number or id of the device')

/**
 * The outcome of a command is looked for so often, so many ms apart, before it is told that it is on its way. Looks are
 * counted, not the time: a server that stood still meanwhile has not looked.
 */
const LOOKS = 20
const LOOK_MS = 250

const setProperty = defineTool({
  name: 'set_property',
  class: 'control',
  permission: 'device:command',
  description:
    'Sets a property of one device: switches it on or off, sets a target value. The device gets a command; the result tells whether it answered. Always asks before; cannot be taken back.',
  input: toolInput({
    device: whichDevice,
    property: said('Name or identifier of the property; may be absent for on and off where the device has one switch'),
    value: saidValue,
  }),
  words: withCommonTexts(words.set_property),
  async prepare(t, input) {
    const target = await commandTarget(t, input.device)
    const { device, model, compiled, latest } = target
    if (settable(model).length === 0) throw new ToolProblem(t.say('nothingToSet', { of: strong(device.name) }))
    const property = propertyToSet(t, model.properties, input.property, device.name, input.value)
    if (input.value === undefined || input.value === '')
      throw new ToolQuestion(
        t.say('whichValue', { property: quoted(nameOf(property, t.locale)) }),
        'value',
        optionsOf(t, property),
      )
    const value = valueFor(t, property, input.value)
    const params = { [property.identifier]: value }
    refuseBadValues(t, compiled.checkPropertySet(params), [property])
    const guard = passGuards(t, target, { kind: 'property_set', identifier: null, params })
    const now = latest.get(property.identifier)
    const before = now && property.dataType.type !== 'password' ? now[0] : undefined
    const name = nameOf(property, t.locale)
    return {
      calls: [
        plannedCall(commandsContract.create, {
          params: { id: device.id },
          body: { kind: 'property_set', params, ...(guard.acknowledged ? { acknowledged: true } : {}) },
        }),
      ],
      effects: [
        t.say('effect', { name: strong(device.name), property: quoted(name), value: shown(t, property, value) }),
        ...linkEffects(t, target),
        ...(before !== undefined && JSON.stringify(before) === JSON.stringify(value) ? [t.say('already')] : []),
        ...guard.effects,
        t.say('noWayBack'),
      ],
      changes: [
        {
          field: name,
          before: before === undefined ? null : valueText(property, before, t.locale),
          after: valueText(property, value, t.locale),
        },
      ],
      object: deviceMention(device),
      memo: {
        id: device.id,
        name: device.name,
        online: device.link === 'online',
        what: `${quoted(name)} = ${shown(t, property, value)}`,
      },
    }
  },
  finish: finishCommand,
})

function optionsOf(t: ToolContext, { dataType }: Property) {
  if (dataType.type === 'enum')
    return dataType.items.slice(0, 20).map(item => ({
      label: (t.locale === 'en' && item.ename) || item.name,
      value: String(item.value),
    }))
  if (dataType.type !== 'bool') return []
  return [true, false].map(value => ({ label: valueText({ dataType }, value, t.locale), value: String(value) }))
}

/** What the connection means for the command. */
function linkEffects(t: ToolContext, { device, rules }: CommandTarget): string[] {
  if (device.link === 'online') return [t.say('onlineNow')]
  const hours = Math.round((rules.expirySeconds ?? 86_400) / 360) / 10
  return [t.say('offlineNow', { seen: agoText(t, device.lastSeenAt), hours })]
}

interface CommandMemo {
  id: string
  name: string
  online: boolean
  what: string
}

/** Waits a moment for the device's answer and tells it. A command is never taken back by another one. */
async function finishCommand(
  ...[t, { memo, results }]: Parameters<ChangeTool['finish']>
): ReturnType<ChangeTool['finish']> {
  const { id, name, online, what } = memo as CommandMemo
  const command = await settled(t, id, results[0] as CommandView, online)
  const log = linkTo(t.say('openCommands'), pages.device(id, 'commands'))
  const values = { name: strong(name), what, state: stateOf(t, command), reason: reasonOf(t, command), log }
  const key =
    command.state === 'succeeded'
      ? 'succeeded'
      : command.state === 'queued'
        ? online
          ? 'waiting'
          : 'queued'
        : ['sent', 'delivered'].includes(command.state)
          ? 'onItsWay'
          : 'failed'
  const reply = command.state === 'succeeded' && command.reply ? replyText(t, command) : ''
  return {
    result: {
      text: t.say(key, values) + reply,
      data: {
        device: name,
        command: command.id,
        state: command.state,
        reason: command.errorCode,
        reply: command.reply,
      },
      mentions: [{ kind: 'device', id, name, link: pages.device(id) }],
    },
  }
}

function replyText(t: ToolContext, { kind, reply }: CommandView): string {
  if (kind !== 'service' || typeof reply !== 'object' || reply === null || Object.keys(reply).length === 0) return ''
  return t.say('answered', { reply: quoted(JSON.stringify(reply)) })
}

const OPEN: ReadonlySet<string> = new Set(['queued', 'sent', 'delivered'])

async function settled(t: ToolContext, id: string, made: CommandView, online: boolean): Promise<CommandView> {
  let command = made
  for (let looks = 0; online && OPEN.has(command.state) && looks < LOOKS; looks++) {
    await setTimeout(LOOK_MS)
    command = await t.call(commandsContract.get, { params: { id, commandId: command.id } })
  }
  return command
}

const callService = defineTool({
  name: 'call_service',
  class: 'control',
  permission: 'device:command',
  description:
    'Calls a service of one device (restart, defrost, move …) with its parameters as a JSON object. The result tells what the device answered. Always asks before; cannot be taken back.',
  input: toolInput({
    device: whichDevice,
    service: said('Name or identifier of the service'),
    params: Type.Optional(
      Type.String({
        maxLength: 4000,
        description: 'Parameters as a JSON object; or the one value of a service with one parameter',
      }),
    ),
  }),
  words: withCommonTexts(words.call_service),
  async prepare(t, input) {
    const target = await commandTarget(t, input.device)
    const { device, model, compiled } = target
    const service = pickService(t, model.services, input.service, device.name)
    const params = paramsFor(t, service, input.params)
    refuseBadValues(t, compiled.checkServiceInput(service.identifier, params), service.input)
    const guard = passGuards(t, target, { kind: 'service', identifier: service.identifier, params })
    const name = nameOf(service, t.locale)
    return {
      calls: [
        plannedCall(commandsContract.create, {
          params: { id: device.id },
          body: {
            kind: 'service',
            identifier: service.identifier,
            params,
            ...(guard.acknowledged ? { acknowledged: true } : {}),
          },
        }),
      ],
      effects: [
        t.say('effect', { name: strong(device.name), service: quoted(name) }),
        ...linkEffects(t, target),
        ...guard.effects,
        t.say('noWayBack'),
      ],
      changes: service.input
        .filter(({ identifier }) => identifier in params)
        .map(part => ({
          field: nameOf(part, t.locale),
          before: null,
          after: valueText(part, params[part.identifier], t.locale),
        })),
      object: deviceMention(device),
      memo: {
        id: device.id,
        name: device.name,
        online: device.link === 'online',
        what: quoted(name),
      },
    }
  },
  finish: finishCommand,
})

function pickService(
  t: ToolContext,
  services: readonly ThingService[],
  text: string | undefined,
  of: string,
): ThingService {
  const given = text?.trim() ?? ''
  if (services.length === 0) throw new ToolProblem(t.say('noServices', { of: strong(of) }))
  const found = given === '' ? services : partsNamed(services, given)
  if (found.length === 1) return found[0]!
  if (found.length > 1)
    throw new ToolQuestion(
      t.say('whichService', { of: quoted(of) }),
      'service',
      found.slice(0, 12).map(service => ({ label: nameOf(service, t.locale), value: service.identifier })),
    )
  throw new ToolProblem(
    t.say('noSuchService', {
      of: strong(of),
      name: quoted(given),
      known: enumerated(
        t,
        services.map(service => quoted(nameOf(service, t.locale))),
      ),
    }),
  )
}

/** The parameters by identifier; names of the model are understood too. */
function paramsFor(t: ToolContext, service: ThingService, text: string | undefined): Record<string, unknown> {
  const given = text?.trim() ?? ''
  if (given === '') {
    const missing = service.input.filter(({ required }) => required).map(part => quoted(nameOf(part, t.locale)))
    if (missing.length > 0)
      throw new ToolProblem(
        t.say('missing', { service: quoted(nameOf(service, t.locale)), missing: enumerated(t, missing) }),
      )
    return {}
  }
  const json = objectIn(given)
  if (!json) {
    const [only] = service.input
    if (service.input.length === 1 && only) return { [only.identifier]: valueFor(t, only, given) }
    throw new ToolProblem(t.say('notAnObject'))
  }
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      const [part] = partsNamed(service.input, key)
      return part ? [part.identifier, valueFor(t, part, value)] : [key, value]
    }),
  )
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** What can be asked and done about commands to devices. */
export const commandsTools: readonly Tool[] = [setProperty, callService, ...batchTools, ...commandLogTools]
