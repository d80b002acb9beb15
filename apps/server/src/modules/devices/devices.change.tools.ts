import { type DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import { groupsContract } from '@thingwright/contracts/groups.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import { Type } from 'typebox'
import {
  agoText,
  checkedText,
  enumerated,
  linkTo,
  pages,
  refuseFullQuota,
  said,
  spokenForms,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import { bestOf } from '../../lib/tools/tool-kit.ts'
import {
  type ChangeTool,
  defineTool,
  type Mention,
  type PreparedChange,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import { groupMention } from '../groups/index.ts'
import { productMention } from '../products/index.ts'
import { deviceMention } from './device.finder.ts'
import words from './devices.tools.json' with { type: 'json' }

const whichDevice = said('Name, number or id of the device')

async function deviceOf(t: ToolContext, text: string | undefined): Promise<DeviceView> {
  return t.call(devicesContract.get, { params: { id: (await t.find('device', text)).id } })
}

const openPage = (t: ToolContext, device: Pick<DeviceView, 'id'>) =>
  linkTo(t.say('openDevice'), pages.device(device.id))

/** The published product that a device is to be of, also one that the caller may add to without seeing it otherwise. */
async function productFor(t: ToolContext, text: string | undefined): Promise<Mention> {
  const said = (text ?? '').trim()
  for (const q of spokenForms(said)) {
    const { items } = await t.call(productsContract.catalogue, { query: { q } })
    const found = bestOf(items, q, 6, product => [product.name, product.productKey])
    if (found.length === 1) return productMention(found[0]!)
    if (found.length > 1)
      throw new ToolQuestion(
        t.say('whichProductOf', { name: quoted(said) }),
        'product',
        found.map(({ id, name, productKey }) => ({ label: `${name} (${productKey})`, value: id })),
      )
  }
  const product = await t.find('product', text)
  const { status } = await t.call(productsContract.get, { params: { id: product.id } })
  if (status === 'published') return product
  throw new ToolProblem(t.say('notPublished', { product: strong(product.name) }), {
    title: product.name,
    to: pages.product(product.id),
  })
}

/** The device group that was named. */
async function deviceGroup(t: ToolContext, text: string): Promise<Mention> {
  const group = await t.find('group', text)
  const { items } = await t.call(groupsContract.list, { query: { kind: 'device' } })
  if (items.some(({ id }) => id === group.id)) return group
  throw new ToolProblem(t.say('notADeviceGroup', { group: strong(group.name) }))
}

const createDevice = defineTool({
  name: 'create_device',
  class: 'write',
  permission: 'device:write',
  description:
    'Adds a device to a published product. The platform makes its secret, which is never told here: the result links to the page where it connects. Number, group and tags are optional.',
  input: toolInput({
    name: said('Name of the new device'),
    product: said('The product it belongs to: its name, key or id'),
    device_no: said('Its number, of letters, digits and _ . : - (at most 64); made by the platform when absent'),
    group: said('The device group it is put into'),
  }),
  words: withCommonTexts(words.create_device),
  async prepare(t, input) {
    const name = checkedText(t, t.say('name'), input.name)
    const product = await productFor(t, input.product)
    const group = input.group ? await deviceGroup(t, input.group) : null
    const deviceNo = input.device_no?.trim()
    if (deviceNo !== undefined && !/^[A-Za-z0-9_.:-]{1,64}$/.test(deviceNo))
      throw new ToolProblem(t.say('numberWrong', { no: quoted(deviceNo) }))
    const { items } = await t.call(devicesContract.list, { query: { q: name, productId: product.id, limit: 100 } })
    const namesake = items.find(device => device.name === name)
    const { items: withNumber } = deviceNo
      ? await t.call(devicesContract.list, { query: { q: deviceNo, productId: product.id, limit: 100 } })
      : { items: [] }
    const taken = withNumber.find(device => device.deviceNo === deviceNo)
    if (taken)
      throw new ToolProblem(t.say('numberTaken', { no: quoted(deviceNo!), name: strong(taken.name) }), {
        title: taken.name,
        to: pages.device(taken.id),
      })
    await refuseFullQuota(t, 'devices')
    return {
      calls: [
        plannedCall(devicesContract.create, {
          body: {
            name,
            productId: product.id,
            ...(deviceNo ? { deviceNo } : {}),
            ...(group ? { groupId: group.id } : {}),
          },
        }),
      ],
      effects: [
        t.say('effect', { name: strong(name), product: strong(product.name) }),
        t.say('secretEffect'),
        ...(namesake ? [t.say('sameName', { name: strong(name), no: quoted(namesake.deviceNo) })] : []),
      ],
      changes: [
        { field: t.say('name'), before: null, after: name },
        { field: t.say('product'), before: null, after: product.name },
        { field: t.say('deviceNo'), before: null, after: deviceNo ?? t.say('madeByPlatform') },
        ...(group ? [{ field: t.say('group'), before: null, after: group.name }] : []),
      ],
      object: product,
    }
  },
  async finish(t, { results }) {
    const device = results[0] as DeviceView
    const values = {
      name: strong(device.name),
      no: quoted(device.deviceNo),
      product: strong(device.productName),
      link: linkTo(t.say('openLink'), pages.deviceLink(device.id)),
    }
    return {
      result: {
        text: t.say('done', values),
        data: { id: device.id, name: device.name, deviceNo: device.deviceNo, product: device.productName },
        mentions: [deviceMention(device), productMention({ id: device.productId, name: device.productName })],
      },
      undo: [plannedCall(devicesContract.remove, { params: { id: device.id } })],
    }
  },
})

interface Edit {
  set: Partial<Pick<DeviceView, 'name' | 'description' | 'tags' | 'groupId'>>
  back: Edit['set']
  effect: string
  field: string
  before: string | null
  after: string | null
}

/** A change of a device's basic data: one call, taken back by the call that writes what was there before. */
function editing(device: DeviceView, edit: Edit): PreparedChange {
  return {
    calls: [
      plannedCall(devicesContract.update, {
        params: { id: device.id },
        body: { version: device.version, ...edit.set },
      }),
    ],
    effects: [edit.effect],
    changes: [{ field: edit.field, before: edit.before, after: edit.after }],
    object: deviceMention(device),
    memo: { before: device.name, back: edit.back },
  }
}

const finishEdit: ChangeTool['finish'] = async (t, { memo, results }) => {
  const device = results[0] as DeviceView
  const { before, back } = memo as { before: string; back: Edit['set'] }
  return {
    result: {
      text: t.say('done', {
        name: strong(device.name),
        before: strong(before),
        group: device.groupName ? strong(device.groupName) : t.say('notInGroup'),
        tags: device.tags.length > 0 ? enumerated(t, device.tags.map(quoted)) : t.say('none'),
        page: openPage(t, device),
      }),
      data: { id: device.id, name: device.name, group: device.groupName, tags: device.tags },
      mentions: [deviceMention(device)],
    },
    undo: [
      plannedCall(devicesContract.update, { params: { id: device.id }, body: { version: device.version, ...back } }),
    ],
  }
}

function refuseUnchanged(t: ToolContext, device: DeviceView, unchanged: boolean): void {
  if (unchanged)
    throw new ToolProblem(t.say('unchanged', { name: strong(device.name) }), {
      title: device.name,
      to: pages.device(device.id),
    })
}

const renameDevice = defineTool({
  name: 'rename_device',
  class: 'write',
  permission: 'device:write',
  description: 'Gives a device another name. Its number and its secret stay.',
  input: toolInput({ device: whichDevice, name: said('The new name, at most 64 characters') }),
  words: withCommonTexts(words.rename_device),
  async prepare(t, input) {
    const device = await deviceOf(t, input.device)
    const name = checkedText(t, t.say('name'), input.name)
    refuseUnchanged(t, device, name === device.name)
    return editing(device, {
      set: { name },
      back: { name: device.name },
      effect: t.say('effect', { before: strong(device.name), name: strong(name) }),
      field: t.say('name'),
      before: device.name,
      after: name,
    })
  },
  finish: finishEdit,
})

const describeDevice = defineTool({
  name: 'describe_device',
  class: 'write',
  permission: 'device:write',
  description: 'Writes the description of a device (a note for people, at most 1,000 characters).',
  input: toolInput({
    device: whichDevice,
    description: Type.Optional(Type.String({ maxLength: 1000, description: 'The whole new description' })),
  }),
  words: withCommonTexts(words.describe_device),
  async prepare(t, input) {
    const device = await deviceOf(t, input.device)
    const description = checkedText(t, t.say('description'), input.description, 1000)
    refuseUnchanged(t, device, description === device.description)
    return editing(device, {
      set: { description },
      back: { description: device.description },
      effect: t.say('effect', { name: strong(device.name) }),
      field: t.say('description'),
      before: device.description || null,
      after: description,
    })
  },
  finish: finishEdit,
})

const MAX_TAGS = 20

const tagDevice = defineTool({
  name: 'tag_device',
  class: 'write',
  permission: 'device:write',
  description:
    'Puts tags on a device or takes them off; several are separated by commas. At most 20 tags of 32 characters.',
  input: toolInput({
    device: whichDevice,
    add: said('Tags to put on, separated by commas'),
    remove: said('Tags to take off, separated by commas'),
  }),
  words: withCommonTexts(words.tag_device),
  async prepare(t, input) {
    const device = await deviceOf(t, input.device)
    const tagsIn = (text: string | undefined) =>
      (text ?? '')
        .split(/[,;\uff0c\u3001\uff1b]+/u)
        .flatMap(tag => (tag.trim() === '' ? [] : [checkedText(t, t.say('tags'), tag, 32)]))
    const add = tagsIn(input.add)
    const remove = tagsIn(input.remove)
    if (add.length + remove.length === 0) throw new ToolProblem(t.say('textEmpty', { field: t.say('tags') }))
    const missing = remove.filter(tag => !device.tags.includes(tag))
    if (missing.length > 0)
      throw new ToolProblem(t.say('notTagged', { name: strong(device.name), tags: enumerated(t, missing.map(quoted)) }))
    const tags = [...new Set([...device.tags, ...add])].filter(tag => !remove.includes(tag))
    refuseUnchanged(t, device, tags.length === device.tags.length && tags.every(tag => device.tags.includes(tag)))
    if (tags.length > MAX_TAGS) throw new ToolProblem(t.say('tooManyTags', { max: MAX_TAGS }))
    const shown = (all: readonly string[]) => (all.length > 0 ? enumerated(t, all, MAX_TAGS) : null)
    return editing(device, {
      set: { tags },
      back: { tags: device.tags },
      effect: t.say('effect', {
        name: strong(device.name),
        tags: tags.length > 0 ? enumerated(t, tags.map(quoted)) : t.say('none'),
      }),
      field: t.say('tags'),
      before: shown(device.tags),
      after: shown(tags),
    })
  },
  finish: finishEdit,
})

const moveDevice = defineTool({
  name: 'move_device',
  class: 'write',
  permission: 'device:write',
  description: 'Puts a device into a device group. Who may see it can change with that: data scopes go by groups.',
  input: toolInput({ device: whichDevice, group: said('The device group: its name or id') }),
  words: withCommonTexts(words.move_device),
  async prepare(t, input) {
    const device = await deviceOf(t, input.device)
    const group = await deviceGroup(t, input.group ?? '')
    refuseUnchanged(t, device, device.groupId === group.id)
    return editing(device, {
      set: { groupId: group.id },
      back: { groupId: device.groupId },
      effect: t.say('effect', {
        name: strong(device.name),
        before: device.groupName ? strong(device.groupName) : t.say('notInGroup'),
        group: strong(group.name),
      }),
      field: t.say('group'),
      before: device.groupName,
      after: group.name,
    })
  },
  async finish(t, done) {
    const finished = await finishEdit(t, done as never)
    const { groupId, groupName } = done.results[0] as DeviceView
    if (groupId) finished.result.mentions?.push(groupMention({ id: groupId, name: groupName ?? '', kind: 'device' }))
    return finished
  },
})

/** Enabling and disabling: each takes the other back. */
function switching(name: 'enable_device' | 'disable_device', description: string): Tool {
  const enable = name === 'enable_device'
  const contract = enable ? devicesContract.enable : devicesContract.disable
  const back = enable ? devicesContract.disable : devicesContract.enable
  return defineTool({
    name,
    class: 'write',
    permission: 'device:write',
    description,
    input: toolInput({ device: whichDevice }),
    words: withCommonTexts(words[name]),
    async prepare(t, input) {
      const device = await deviceOf(t, input.device)
      refuseUnchanged(t, device, (device.lifecycle === 'disabled') !== enable)
      return {
        calls: [plannedCall(contract, { params: { id: device.id } })],
        effects: [t.say('effect', { name: strong(device.name) })],
        changes: [
          {
            field: t.say('state'),
            before: t.say(device.lifecycle),
            after: t.say(enable ? (device.activatedAt ? 'active' : 'inactive') : 'disabled'),
          },
        ],
        object: deviceMention(device),
      }
    },
    async finish(t, { results }) {
      const device = results[0] as DeviceView
      return {
        result: {
          text: t.say('done', { name: strong(device.name), page: openPage(t, device) }),
          data: { id: device.id, lifecycle: device.lifecycle },
          mentions: [deviceMention(device)],
        },
        undo: [plannedCall(back, { params: { id: device.id } })],
      }
    },
  })
}

const deleteDevice = defineTool({
  name: 'delete_device',
  class: 'delete',
  permission: 'device:delete',
  description:
    'Moves a device to the recycle bin: it can no longer connect, its data stays, and it can be restored. Deleting for good is done by hand in the recycle bin.',
  input: toolInput({ device: whichDevice }),
  words: withCommonTexts(words.delete_device),
  async prepare(t, input) {
    const device = await deviceOf(t, input.device)
    return {
      calls: [plannedCall(devicesContract.remove, { params: { id: device.id } })],
      effects: [
        t.say('effect', {
          name: strong(device.name),
          no: quoted(device.deviceNo),
          product: strong(device.productName),
        }),
        ...(device.link === 'online'
          ? [t.say('onlineEffect')]
          : [t.say('seenEffect', { seen: agoText(t, device.lastSeenAt) })]),
        t.say('dataEffect'),
      ],
      changes: [{ field: t.say('state'), before: t.say(device.lifecycle), after: t.say('recycled') }],
      object: deviceMention(device),
      memo: { id: device.id, name: device.name },
    }
  },
  async finish(t, { memo }) {
    const { id, name } = memo as { id: string; name: string }
    return {
      result: {
        text: t.say('done', { name: strong(name), bin: linkTo(t.say('openBin'), pages.devices({ tab: 'recycled' })) }),
        data: { id, name, lifecycle: 'recycled' },
      },
      undo: [plannedCall(devicesContract.restore, { params: { id } })],
    }
  },
})

const restoreDevice = defineTool({
  name: 'restore_device',
  class: 'write',
  permission: 'device:delete',
  description: 'Takes a device out of the recycle bin.',
  input: toolInput({ name: said('Name or number of the device in the recycle bin') }),
  words: withCommonTexts(words.restore_device),
  async prepare(t, input) {
    const text = (input.name ?? '').trim()
    const { items } = await t.call(devicesContract.list, {
      query: { lifecycle: 'recycled', limit: 100, ...(text ? { q: text.slice(0, 128) } : {}) },
    })
    const found = bestOf(items, text, 6, device => [device.name, device.deviceNo, device.id])
    if (found.length === 0)
      throw new ToolProblem(t.say(text ? 'notInBin' : 'binEmpty', { name: quoted(text) }), {
        title: t.say('openBin'),
        to: pages.devices({ tab: 'recycled' }),
      })
    if (found.length > 1)
      throw new ToolQuestion(
        t.say('whichOfBin'),
        'name',
        found.map(({ name, deviceNo }) => ({ label: `${name} (${deviceNo})`, value: deviceNo })),
      )
    const device = found[0]!
    return {
      calls: [plannedCall(devicesContract.restore, { params: { id: device.id } })],
      effects: [t.say('effect', { name: strong(device.name) })],
      changes: [{ field: t.say('state'), before: t.say('recycled'), after: t.say('active') }],
      object: deviceMention(device),
    }
  },
  async finish(t, { results }) {
    const device = results[0] as DeviceView
    return {
      result: {
        text: t.say('done', { name: strong(device.name), page: openPage(t, device) }),
        data: { id: device.id, lifecycle: device.lifecycle },
        mentions: [deviceMention(device)],
      },
      undo: [plannedCall(devicesContract.remove, { params: { id: device.id } })],
    }
  },
})

/** What can be changed about devices. */
export const changeDeviceTools: readonly Tool[] = [
  createDevice,
  renameDevice,
  describeDevice,
  tagDevice,
  moveDevice,
  switching('enable_device', 'Lets a disabled device connect again.'),
  switching('disable_device', 'Ends the connection of a device and refuses the next ones until it is enabled again.'),
  deleteDevice,
  restoreDevice,
]
