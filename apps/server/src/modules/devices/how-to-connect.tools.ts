import { devicesContract } from '@thingwright/contracts/devices.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import { linkTo, pages, said, strong, toolInput, withCommonTexts } from '../../lib/tools/thing-kit.ts'
import { defineTool, type Mention, type ToolContext, ToolProblem, type ToolResult } from '../../lib/tools/tools.ts'
import { snippetsFor } from './connect-snippets.ts'
import words from './devices.tools.json' with { type: 'json' }

/** The device to connect, or one of the product that was named: the addresses are told for a device. */
async function deviceFor(t: ToolContext, input: { device?: string; product?: string }): Promise<Mention> {
  if (!input.product || input.device) return t.find('device', input.device)
  const product = await t.find('product', input.product)
  const { items } = await t.call(devicesContract.list, { query: { productId: product.id, limit: 1 } })
  if (items.length > 0) return { kind: 'device', id: items[0]!.id, name: items[0]!.name }
  throw new ToolProblem(t.say('noDeviceYet', { product: strong(product.name) }), {
    title: product.name,
    to: pages.devices({ productId: product.id, create: '1' }),
  })
}

export const howToConnect = defineTool({
  name: 'how_to_connect',
  class: 'read',
  permission: 'device:read',
  description:
    'How a device (or a device of a product) connects: address, user name, topics and ready code for its link (MQTT, HTTP, TCP, UDP, Modbus, CoAP, WebSocket). The secret is a placeholder; it is shown on the linked page only.',
  input: toolInput({
    device: said('Name, number or id of the device'),
    product: said('Instead of a device: the product whose devices are to connect'),
  }),
  words: withCommonTexts(words.how_to_connect),
  async run(t, input): Promise<ToolResult> {
    const mention = await deviceFor(t, input)
    const params = { id: mention.id }
    const [device, access] = await Promise.all([
      t.call(devicesContract.get, { params }),
      t.call(devicesContract.access, { params }),
    ])
    const product = await t.call(productsContract.get, { params: { id: device.productId } }).catch(() => null)
    const linkType = product?.linkType ?? 'mqtt'
    const blocks = snippetsFor(linkType, access.ways).map(block => ({
      ...block,
      text: block.text.replaceAll(access.secretPlace, t.say('secretPlace')).trimEnd(),
    }))
    const where = linkTo(t.say('openLink'), pages.deviceLink(device.id))
    const custom = product && product.format.kind !== undefined && product.format.kind !== 'json'
    return {
      text: [
        t.say(blocks.length > 0 ? 'head' : 'notHere', { name: strong(device.name), link: t.say(`link_${linkType}`) }),
        ...(blocks.length > 0 ? steps(t, linkType, device, where) : [where]),
        ...(custom ? ['', t.say('ownFormat')] : []),
        ...(product?.status === 'draft' ? ['', t.say('notPublished', { product: strong(product.name) })] : []),
      ].join('\n'),
      cards: blocks.length > 0 ? [{ kind: 'code', title: t.say('codeTitle', { name: device.name }), blocks }] : [],
      data: {
        device: device.name,
        linkType,
        host: access.host,
        username: access.username,
        topicPrefix: access.topicPrefix,
        secret: 'shown on the connection page of the device only',
        page: pages.deviceLink(device.id),
        code: blocks.slice(0, 2).map(({ title, text }) => ({ title, text })),
      },
      mentions: [{ kind: 'device', id: device.id, name: device.name, link: pages.device(device.id) }],
    }
  },
})

function steps(
  t: ToolContext,
  linkType: string,
  facts: { productKey: string; deviceNo: string },
  where: string,
): string[] {
  const values = {
    where,
    user: `\`${facts.productKey}/${facts.deviceNo}\``,
    prefix: `\`things/${facts.productKey}/${facts.deviceNo}/\``,
  }
  const kind =
    linkType === 'mqtt'
      ? 'mqtt'
      : linkType.startsWith('modbus')
        ? 'modbus'
        : linkType === 'tcp' || linkType === 'udp'
          ? 'raw'
          : 'token'
  return [`1. ${t.say('stepSecret', values)}`, `2. ${t.say(`step_${kind}`, values)}`, `3. ${t.say('stepLook')}`]
}
