import { devicesContract } from '@thingwright/contracts/devices.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import { Type } from 'typebox'
import {
  defineTool,
  type EntityFinder,
  plannedCall,
  type Tool,
  ToolProblem,
  ToolQuestion,
  type ToolWords,
} from '../../lib/tools/tools.ts'

const words = (en: string): ToolWords => ({ title: { zh: en, en }, phrases: { zh: [], en: [] } })
const base = (name: string) => ({ name, description: name, words: words(name) })
const Named = Type.Object({ device: Type.Optional(Type.String()) }, { additionalProperties: false })

/** Small tools over real routes, at least one of each class; what they say is fixed, so that tests can hold it. */
export const SCRIPTED_TOOLS: readonly Tool[] = [
  defineTool({
    ...base('read_device'),
    class: 'read',
    permission: 'device:read',
    input: Named,
    async run(t, { device }) {
      const view = await t.call(devicesContract.get, { params: { id: (await t.find('device', device)).id } })
      return {
        text: `It is called ${view.name}.`,
        data: { name: view.name, deviceSecret: 'canary-secret-1', note: 'twk_canarycanarycanary' },
        cards: [{ kind: 'links', title: 'Device', items: [{ title: view.name, to: `/manage/device?id=${view.id}` }] }],
        mentions: [{ kind: 'device', id: view.id, name: view.name }],
      }
    },
  }),
  defineTool({
    ...base('read_much'),
    class: 'read',
    permission: 'signed-in',
    input: Type.Object({ characters: Type.Integer() }, { additionalProperties: false }),
    run: async (_t, { characters }) => ({ text: 'x'.repeat(characters) }),
  }),
  defineTool({
    ...base('ask_back'),
    class: 'read',
    permission: 'signed-in',
    input: Named,
    async run(_t, { device }) {
      if (device) return { text: `You chose ${device}.` }
      throw new ToolQuestion('Which one?', 'device', [
        { label: 'Pump', value: 'id-of-one-pump' },
        { label: 'Pump', value: 'id-of-other' },
        { label: 'Boiler', value: 'id-of-boiler' },
      ])
    },
  }),
  defineTool({
    ...base('break_down'),
    class: 'read',
    permission: 'signed-in',
    input: Type.Object({}, { additionalProperties: false }),
    run: () => Promise.reject(new Error('select secret from inside')),
  }),
  defineTool({
    ...base('rename_device'),
    class: 'write',
    permission: 'device:write',
    input: Type.Object({ device: Type.Optional(Type.String()), name: Type.String() }, { additionalProperties: false }),
    async prepare(t, { device, name }) {
      const found = await t.find('device', device)
      const view = await t.call(devicesContract.get, { params: { id: found.id } })
      if (view.name === name) throw new ToolProblem('It has this name already.')
      return {
        calls: [
          plannedCall(devicesContract.update, { params: { id: view.id }, body: { version: view.version, name } }),
        ],
        effects: [`${view.name} is called ${name} from now on`],
        changes: [{ field: 'name', before: view.name, after: name }],
        object: { kind: 'device', id: view.id, name: view.name, link: `/manage/device?id=${view.id}` },
        memo: { before: view.name },
      }
    },
    async finish(_t, { input, memo, results }) {
      const view = results[0] as { id: string; version: number }
      const body = { version: view.version, name: (memo as { before: string }).before }
      return {
        result: { text: `Renamed to ${input.name}.`, mentions: [{ kind: 'device', id: view.id, name: input.name }] },
        undo: [plannedCall(devicesContract.update, { params: { id: view.id }, body })],
      }
    },
  }),
  defineTool({
    ...base('create_product'),
    class: 'write',
    permission: 'product:write',
    input: Type.Object({ name: Type.String() }, { additionalProperties: false }),
    prepare: async (_t, { name }) => ({
      calls: [{ route: 'POST /api/v1/products', body: { name, linkType: 'mqtt' } }],
      effects: [`Product ${name} is made`],
    }),
    async finish(_t, { input, results }) {
      const { id } = results[0] as { id: string }
      return {
        result: { text: `Made ${input.name}.`, data: { id } },
        undo: [plannedCall(productsContract.remove, { params: { id } } as never)],
      }
    },
  }),
  defineTool({
    ...base('create_device'),
    class: 'write',
    permission: 'device:write',
    input: Type.Object({ product: Type.String(), name: Type.String() }, { additionalProperties: false }),
    prepare: async (_t, { product, name }) => ({
      calls: [plannedCall(devicesContract.create, { body: { productId: product, name } })],
      effects: [`Device ${name} is added`],
    }),
    async finish(_t, { input, results }) {
      const device = results[0] as { id: string; deviceSecret: string }
      const gone = plannedCall(devicesContract.remove, { params: { id: device.id } })
      return {
        result: { text: `Added ${input.name}; secret ${device.deviceSecret}.`, data: device },
        // Into the recycle bin, and out of it for good.
        undo: [gone, gone],
      }
    },
  }),
  defineTool({
    ...base('make_key'),
    class: 'write',
    permission: 'api-key:write',
    input: Type.Object({ name: Type.String() }, { additionalProperties: false }),
    // The route asks for a fresh proof of the person.
    prepare: async (_t, { name }) => ({
      calls: [{ route: 'POST /api/v1/api-keys', body: { name, scopes: ['device:read'] } }],
      effects: [`Key ${name} is made`],
    }),
    finish: async (_t, { results }) => ({ result: { text: `Made: ${JSON.stringify(results[0])}` } }),
  }),
  defineTool({
    ...base('remove_device'),
    class: 'delete',
    permission: 'device:delete',
    input: Named,
    async prepare(t, { device }) {
      const found = await t.find('device', device)
      return {
        calls: [plannedCall(devicesContract.remove, { params: { id: found.id } })],
        effects: ['It goes'],
        object: found,
      }
    },
    finish: async () => ({ result: { text: 'Removed.' } }),
  }),
  defineTool({
    ...base('switch_device'),
    class: 'control',
    permission: 'device:command',
    input: Named,
    prepare: async () => ({ calls: [], effects: ['It switches'] }),
    finish: async () => ({ result: { text: 'Switched.' } }),
  }),
  defineTool({
    ...base('turn_device'),
    class: 'control',
    permission: 'device:command',
    input: Named,
    async prepare(t, { device }) {
      const found = await t.find('device', device)
      return { calls: [], effects: ['It turns'], object: found, memo: found.id }
    },
    // An undo by a route that the assistant may not call: it must not be offered.
    finish: async (_t, { memo }) => ({
      result: { text: 'Turned.' },
      undo: [plannedCall(devicesContract.disable, { params: { id: memo as string } })],
    }),
  }),
  defineTool({
    ...base('disable_device'),
    class: 'write',
    permission: 'device:write',
    input: Named,
    async prepare(t, { device }) {
      const found = await t.find('device', device)
      return {
        calls: [plannedCall(devicesContract.disable, { params: { id: found.id } })],
        effects: ['It is disabled'],
        object: found,
        memo: found.id,
      }
    },
    finish: async (_t, { memo }) => ({
      result: { text: 'Disabled.' },
      undo: [plannedCall(devicesContract.enable, { params: { id: memo as string } })],
    }),
  }),
]

export const SCRIPTED_FINDER: EntityFinder = {
  kind: 'device',
  async find(call, text, limit) {
    const { items } = await call(devicesContract.list, { query: { q: text, limit } })
    return items.map(({ id, name }) => ({ kind: 'device', id, name }))
  },
}
