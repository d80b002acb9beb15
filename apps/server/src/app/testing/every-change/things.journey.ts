import type { ChangeHouse } from './house.ts'

const MODEL = {
  properties: [
    { identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'rw' },
    { identifier: 'b', name: 'b', dataType: { type: 'double' }, access: 'r' },
  ],
}

/** What later journeys need of it. */
export interface Things {
  groupId: string
  productId: string
  productKey: string
  deviceId: string
}

/** Groups, products and devices. */
export async function things(house: ChangeHouse): Promise<Things> {
  const { go, call, owner } = house
  const versionOf = async (path: string) => (await call<{ version: number }>('GET', path, owner)).version

  const group = await go('groups.create', { body: { kind: 'device', name: 'Hall' } })
  await go('groups.update', { params: { id: group.id }, body: { version: group.version, name: 'North hall' } })
  const spare = await go('groups.create', { body: { kind: 'device', name: 'Spare' } })
  await go('groups.remove', { params: { id: spare.id } })

  const product = await go('products.create', { body: { name: 'Pump', linkType: 'mqtt', thingModel: MODEL } })
  const params = { id: product.id as string }
  const productPath = `/products/${params.id}`
  await go('products.update', { params, body: { version: await versionOf(productPath), name: 'Pumps' } })
  await go('products.setThingModel', {
    params,
    body: {
      ...MODEL,
      events: [],
      services: [{ identifier: 'rinse', name: 'rinse', callType: 'async', inputs: [], outputs: [] }],
    },
  })
  await go('thingModels.publish', { params, body: { note: 'with a service' } })
  await go('thingModels.rollBack', { params: { ...params, number: 1 }, body: {} })
  await go('thingModels.previewImport', {
    params,
    body: { source: 'json', mode: 'merge', text: JSON.stringify(MODEL) },
  })
  await go('products.unpublish', { params })
  await go('products.publish', { params })
  await go('dialects.set', { params, body: { thingsboard: true } })
  await go('dialects.setSubDevices', { params, body: { presence: 'gateway' } })
  await go('unknownKeys.clear', { params })
  const format = { kind: 'json', values: [{ path: 'a', identifier: 'a' }] }
  await go('formats.tryFormat', { params, body: { payload: '{"a":1}', format } })
  await go('formats.detectFormat', { params, body: { payload: '{"a":1}' } })
  await go('formats.setFormat', { params, body: format })
  await go('formats.setSamples', {
    params,
    body: { items: [{ name: 'one', direction: 'up', encoding: 'text', payload: '{"a":1}' }] },
  })
  await go('formats.runSamples', { params, body: {} })
  await go('productLibrary.copy', { params, body: { name: 'Pumps of the north' } })
  const library = await call<{ items: { key: string }[] }>('GET', '/product-library', owner)
  await go('productLibrary.install', { params: { key: library.items[0]!.key }, body: {} })
  const gone = await go('productLibrary.importFile', {
    body: { file: { thingwright: 'product', name: 'From a file', linkType: 'mqtt', thingModel: MODEL } },
  })
  await go('products.remove', { params: { id: gone.id } })
  await go('products.restore', { params: { id: gone.id } })

  const tcp = await go('products.create', { body: { name: 'Meter', linkType: 'tcp', thingModel: MODEL } })
  const link = { register: { kind: 'line' } }
  await go('links.try', { params: { id: tcp.id }, body: { settings: link, stream: '31320a' } })
  await go('links.set', { params: { id: tcp.id }, body: link })
  const bus = await go('products.create', { body: { name: 'Drive', linkType: 'modbus_rtu', thingModel: MODEL } })
  const slave = await go('devices.create', { body: { name: 'Slave', productId: bus.id } })
  await go('deviceLinks.set', { params: { id: slave.id }, body: { slave: 7 } })

  const device = await go('devices.create', { body: { name: 'One', productId: product.id, groupId: group.id } })
  const one = { id: device.id as string }
  await go('devices.update', { params: one, body: { version: device.version, name: 'First' } })
  await go('devices.disable', { params: one })
  await go('devices.enable', { params: one })
  await go('devices.rotateSecret', { params: one, body: {} })
  await go('devices.kick', { params: one })
  await go('devices.remove', { params: one })
  await go('devices.restore', { params: one })
  await go('thingModels.setDeviceModel', { params: one, body: { changed: { a: { name: 'A' } } } })
  await go('thingModels.resetDeviceModel', { params: one })

  const gateway = await go('products.create', {
    body: { name: 'Gateway', linkType: 'mqtt', nodeType: 'gateway', thingModel: MODEL },
  })
  const leaf = await go('products.create', {
    body: { name: 'Leaf', linkType: 'mqtt', nodeType: 'sub_device', thingModel: MODEL },
  })
  const parent = await go('devices.create', { body: { name: 'Gateway', productId: gateway.id } })
  const child = await go('devices.create', { body: { name: 'Leaf', productId: leaf.id } })
  await go('subDevices.bind', { params: { id: parent.id }, body: { items: [{ deviceId: child.id }] } })
  await go('subDevices.unbind', { params: { id: parent.id, subId: child.id } })
  return { groupId: group.id, productId: product.id, productKey: product.productKey, deviceId: device.id }
}
