import type { ConnectSnippetName, ConnectWay, ConnectWayName } from '@thingwright/contracts/connect-schemas'
import type { ThingModel } from '@thingwright/thing-model'
import { wayOf } from './connect-ways.ts'

/** Code to connect as the assistant shows it: the handiest of the product's way, with names and languages. */

export interface Snippet {
  title: string
  language: string
  text: string
}

const NAMED: Readonly<Partial<Record<ConnectSnippetName, { title: string; language: string }>>> = {
  mosquitto: { title: 'mosquitto', language: 'sh' },
  curl: { title: 'curl', language: 'sh' },
  node: { title: 'Node.js', language: 'js' },
  python: { title: 'Python', language: 'python' },
  nc: { title: 'nc', language: 'sh' },
  usr: { title: 'DTU', language: 'text' },
  coap: { title: 'coap-client', language: 'sh' },
}

const CHOSEN: Readonly<Record<ConnectWayName, readonly ConnectSnippetName[]>> = {
  mqtt: ['mosquitto', 'node', 'python', 'curl'],
  http: ['curl'],
  tcp: ['nc', 'python'],
  udp: ['python'],
  modbus: ['usr'],
  coap: ['coap'],
  websocket: ['node'],
}

/** The snippets that fit the product's link; empty where this installation does not listen for it. */
export function snippetsFor(linkType: string, ways: readonly ConnectWay[]): Snippet[] {
  // What comes in by its own connector (video, LoRaWAN) has no code of ours.
  const way = wayOf(linkType)
  if (way === 'mqtt' && linkType !== 'mqtt') return []
  const found = ways.find(each => each.way === way)
  return CHOSEN[way].flatMap(name => {
    const text = found?.snippets.find(each => each.name === name)?.text
    const named = NAMED[name]
    return text && named ? [{ ...named, text }] : []
  })
}

/** A first message: up to two simple properties of the model. */
export function examplePayload(model: ThingModel): string {
  const values: Record<string, unknown> = {}
  for (const { identifier, access, dataType } of model.properties) {
    if (access === 'w' || Object.keys(values).length >= 2) continue
    if (dataType.type === 'bool') values[identifier] = true
    else if (dataType.type === 'string') values[identifier] = 'ok'.slice(0, dataType.maxLength)
    else if (dataType.type === 'enum' && dataType.items[0]) values[identifier] = dataType.items[0].value
    else if (dataType.type === 'int32') values[identifier] = Math.round(within(dataType, 42))
    else if (dataType.type === 'float' || dataType.type === 'double') values[identifier] = within(dataType, 21.5)
  }
  return JSON.stringify(Object.keys(values).length > 0 ? values : { temperature: 21.5 })
}

/** The usual number where it is allowed, else one that is. */
function within({ min = -Infinity, max = Infinity }: { min?: number; max?: number }, usual: number): number {
  return Math.min(Math.max(usual, min), max)
}
